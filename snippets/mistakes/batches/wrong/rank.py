"""Deliberately wrong: batch_jacobian of one loss for each example."""
# tracebook: raises ValueError

import tensorflow as tf

x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
with tf.GradientTape() as tape:
    tape.watch(x)
    losses = tf.reduce_sum(x * x, axis=1)
tape.batch_jacobian(losses, x)
