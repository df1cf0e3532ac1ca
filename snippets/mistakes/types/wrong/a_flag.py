"""Deliberately wrong: a flag is an argument, in a graph."""

import tensorflow as tf


@tf.custom_gradient
def scaled(x, doubled):
    factor = 2.0 if doubled else 1.0

    def grad(upstream):
        return upstream * factor, None

    return factor * x, grad


def run(x):
    return scaled(x, True)


x = tf.constant(3.0)
print("eager:", run(x).numpy())
# tracebook: raises OperatorNotAllowedInGraphError
tf.function(run, autograph=False)(x)
