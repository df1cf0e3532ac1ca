"""Deliberately wrong: grad calls tf.gradients."""
# tracebook: raises RuntimeError

import tensorflow as tf


@tf.custom_gradient
def cube(x):
    y = x**3

    def grad(upstream):
        return tf.gradients(y, x, upstream)

    return y, grad


x = tf.constant(2.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = cube(x)
tape.gradient(y, x)
