"""Deliberately wrong: batch_jacobian with respect to the weights."""
# tracebook: raises ValueError

import tensorflow as tf

x, W = tf.ones([4, 2]), tf.ones([2, 3])
with tf.GradientTape() as tape:
    tape.watch(W)
    y = x @ W
tape.batch_jacobian(y, W)
