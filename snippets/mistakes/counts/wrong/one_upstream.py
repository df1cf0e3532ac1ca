"""Deliberately wrong: two outputs, but grad has one parameter."""
# tracebook: raises TypeError

import tensorflow as tf


@tf.custom_gradient
def powers(x):
    def grad(upstream):
        return upstream * 2.0 * x

    return (x**2, x**3), grad


x = tf.constant(2.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    square, cube = powers(x)
tape.gradient(square, x)
