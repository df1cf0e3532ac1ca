"""Deliberately wrong: one input, but two gradients, in a graph."""
# tracebook: raises InternalError

import tensorflow as tf


@tf.custom_gradient
def double(x):
    def grad(upstream):
        return 2.0 * upstream, None

    return 2.0 * x, grad


@tf.function(autograph=False)
def gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = double(x)
    return tape.gradient(y, x)


x = tf.constant(3.0)
gradient(x)
