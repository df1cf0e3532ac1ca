"""Deliberately wrong: NumPy computes the value, so the tape can't follow."""

import numpy as np
import tensorflow as tf


def sine(x):
    return tf.numpy_function(np.sin, [x], tf.float32)


x = tf.constant([0.5, 1.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = sine(x)
print("y       ", y.numpy())
print("gradient", tape.gradient(y, x))
print("right   ", np.cos(x))
