"""Deliberately wrong: an input without a gradient is left out."""

# tracebook: raises ValueError

import tensorflow as tf


@tf.custom_gradient
def power(x, n):
    exponent = tf.cast(n, x.dtype)

    def grad(upstream):
        return upstream * exponent * x**(exponent - 1)

    return x**exponent, grad


x, n = tf.constant([1.0, 2.0]), tf.constant(3)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = power(x, n)

tape.gradient(y, x)
