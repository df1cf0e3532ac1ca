"""Deliberately wrong: grad has an if on a tensor."""
# tracebook: raises OperatorNotAllowedInGraphError

import tensorflow as tf


@tf.custom_gradient
def limited(x):
    def grad(upstream):
        if tf.abs(upstream) > 1.0:
            upstream = tf.sign(upstream)
        return upstream

    return tf.identity(x), grad


@tf.function
def gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = 3.0 * limited(x)
    return tape.gradient(y, x)


x = tf.constant(2.0)
gradient(x)
