"""Deliberately wrong: two inputs, but one gradient."""
# tracebook: raises ValueError

import tensorflow as tf


@tf.custom_gradient
def product(x, y):
    def grad(upstream):
        return upstream * y

    return x * y, grad


x, y = tf.constant(2.0), tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch([x, y])
    z = product(x, y)
tape.gradient(z, x)
