"""Wrong on purpose: a Jacobian in parts, from a tape that answers once."""
# tracebook: raises RuntimeError

import tensorflow as tf

x = tf.constant([[1.0, 2.0, 3.0]])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x * x
tape.batch_jacobian(y, x, parallel_iterations=2)
