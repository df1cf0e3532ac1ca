"""tf.saved_model.load restores the gradients and variables of an export."""

import tempfile

import tensorflow as tf
from tensorflow import keras


# truth: w.shape == []; upstream becomes -upstream
@tf.custom_gradient
def reversed_scale(x, w):
    def grad(upstream):
        return -upstream * w, -tf.reduce_sum(upstream * x)

    return x * w, grad


class Scale(keras.layers.Layer):
    def build(self, shape):
        self.w = self.add_weight(shape=(), initializer="ones", name="w")

    def call(self, x):
        return reversed_scale(x, tf.convert_to_tensor(self.w))


def gradients(function, variables):
    x = tf.constant([[3.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return [each.numpy().item() for each in tape.gradient(y, [x, *variables])]


model = keras.Sequential([keras.Input([1]), Scale()])
with tempfile.TemporaryDirectory() as folder:
    model.export(folder, verbose=False)
    loaded = tf.saved_model.load(folder)
print("before", gradients(model, model.trainable_variables))
print("after ", gradients(loaded.serve, loaded.trainable_variables))
