"""Deliberately wrong: the tape doesn't watch x, so the gradient is None."""

import tensorflow as tf

x = tf.constant(3.0)
with tf.GradientTape() as tape:
    y = x * x
gradient = tape.gradient(y, x)
# tracebook: raises AttributeError
print(gradient.numpy())
