"""A persistent tape computes a gradient for each part."""

import tensorflow as tf

x = tf.constant([[1.0, 2.0, 3.0]])
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y = x * x
parts = tape.batch_jacobian(y, x, parallel_iterations=2)
tf.debugging.assert_equal(parts, tape.batch_jacobian(y, x))
print(parts.numpy().tolist())
