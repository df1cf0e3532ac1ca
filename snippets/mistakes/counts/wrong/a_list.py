"""Deliberately wrong: one gradient for a list of three tensors."""
# tracebook: raises ValueError

import tensorflow as tf


@tf.custom_gradient
def total(terms):
    def grad(upstream):
        return upstream

    return tf.add_n(terms), grad


def of_three(x, y, z):
    return total([x, y, z])


x, y, z = tf.constant(1.0), tf.constant(2.0), tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch([x, y, z])
    s = of_three(x, y, z)
tape.gradient(s, x)
