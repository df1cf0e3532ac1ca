"""A layer calls the custom gradient, so it gets TensorFlow tensors."""

import tensorflow as tf
from tensorflow import keras


# truth: upstream becomes -upstream
@tf.custom_gradient
def reverse(x):
    return tf.identity(x), lambda upstream: -upstream


class Reverse(keras.layers.Layer):
    def call(self, x):
        return reverse(x)


inputs = keras.Input([2])
model = keras.Model(inputs, Reverse()(inputs))
x = tf.constant([[1.0, 2.0]])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.reduce_sum(model(x) ** 2)
print("gradient", tape.gradient(y, x).numpy(), " minus 2x", -2.0 * x.numpy())
