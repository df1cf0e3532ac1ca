"""Wrong on purpose: a gradient and a Jacobian from one tape."""
# tracebook: raises RuntimeError

import tensorflow as tf

x = tf.constant([1.0, 2.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x * x
tape.gradient(y, x)
tape.jacobian(y, x)
