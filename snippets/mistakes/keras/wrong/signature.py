"""Deliberately wrong: the signature for PyTorch, on TensorFlow."""

import tensorflow as tf
from tensorflow import keras


@keras.ops.custom_gradient
def reverse(x):
    def grad(*args, upstream):
        return -upstream

    return 1.0 * x, grad


x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = reverse(x)
# tracebook: raises TypeError
tape.gradient(y, x)
