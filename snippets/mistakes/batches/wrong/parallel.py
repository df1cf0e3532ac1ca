"""Deliberately wrong: a Jacobian in parts, the tape isn't persistent."""
# tracebook: raises RuntimeError

import tensorflow as tf

x = tf.constant([[1.0, 2.0, 3.0]])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x * x
tape.batch_jacobian(y, x, parallel_iterations=2)
