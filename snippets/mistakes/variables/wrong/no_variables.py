"""Deliberately wrong: grad requires variables, which it doesn't get."""
# tracebook: raises TypeError

import tensorflow as tf


@tf.custom_gradient
def product(x, w):
    def grad(upstream, variables):
        return (upstream * w, upstream * x), []

    return w * x, grad


x, w = tf.constant(3.0), tf.Variable(2.0)
with tf.GradientTape() as tape:
    y = product(x, w)
tape.gradient(y, w)
