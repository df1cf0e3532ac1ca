"""Deliberately wrong: the Jacobian of a list of outputs."""
# tracebook: raises AttributeError

import tensorflow as tf

x = tf.constant([1.0, 2.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    outputs = [x * x, x ** 3]
tape.jacobian(outputs, x)
