"""Deliberately wrong: one of two inputs is passed by keyword."""
# tracebook: raises ValueError

import tensorflow as tf


@tf.custom_gradient
def product(x, y):
    def grad(upstream):
        return upstream * y, upstream * x

    return x * y, grad


def named(x, y):
    return product(x, y=y)


x, y = tf.constant(2.0), tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch([x, y])
    z = named(x, y)
tape.gradient(z, x)
