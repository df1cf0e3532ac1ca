"""A layer that is registered; the gradient function comes with its class."""

import os
import tempfile

import keras
import tensorflow as tf


# truth: upstream becomes -upstream
@tf.custom_gradient
def reverse(x):
    return tf.identity(x), lambda upstream: -upstream


@keras.saving.register_keras_serializable(package="rules")
class Reverse(keras.layers.Layer):
    def call(self, x):
        return reverse(x)


def gradient(model):
    x = tf.constant([[3.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = model(x) ** 2
    return tape.gradient(y, x).numpy().item()


model = keras.Sequential([keras.Input([1]), Reverse()])
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "model.keras")
    model.save(path)
    loaded = keras.models.load_model(path)
print("gradient before", gradient(model), " after", gradient(loaded))
