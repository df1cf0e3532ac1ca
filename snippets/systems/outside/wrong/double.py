"""Deliberately wrong: NumPy returns float64 where float32 is expected."""

# tracebook: alone

import numpy as np
import tensorflow as tf

weights = np.array([0.5, 0.25, 0.25])


def smooth(x):
    return tf.numpy_function(
        lambda x: np.convolve(x, weights, mode="same"), [x], x.dtype)


x = tf.constant([1.0, -2.0, 0.5, 3.0])
print("eager:", smooth(x).dtype.name)
try:
    tf.function(smooth)(x)
except tf.errors.InvalidArgumentError as error:
    print("graph:", error.message.splitlines()[-2])
