"""Deliberately wrong: NumPy inside py_function, whose gradient is then 0."""

import numpy as np
import tensorflow as tf


def sine(x):
    return tf.py_function(lambda x: np.sin(x.numpy()), [x], tf.float32)


x = tf.constant([0.5, 1.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = sine(x)
print("gradient", tape.gradient(y, x).numpy())
print("right   ", np.cos(x))
