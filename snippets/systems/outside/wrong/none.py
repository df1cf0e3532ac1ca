"""Deliberately wrong: the tape doesn't record NumPy; no error is raised."""

import numpy as np
import tensorflow as tf

x = tf.constant([0.25, 0.5, 1.5])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.numpy_function(np.sinc, [x], x.dtype)
    loss = tf.reduce_sum(y * y)
print("loss       =", loss.numpy())
print("downstream =", tape.gradient(loss, x))
