"""Deliberately wrong: in a graph, an input is passed by keyword."""
# tracebook: raises ValueError

import tensorflow as tf


@tf.custom_gradient
def double(x):
    def grad(upstream):
        return 2.0 * upstream

    return 2.0 * x, grad


def named(x):
    return double(x=x)


x = tf.constant(3.0)
tf.function(named, autograph=False)(x)
