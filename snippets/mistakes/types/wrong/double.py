"""Deliberately wrong: the gradient of a float32 input is float64."""
# tracebook: raises InvalidArgumentError

import tensorflow as tf


@tf.custom_gradient
def log(x):
    def grad(upstream):
        wide = tf.cast(x, tf.float64)
        return tf.cast(upstream, tf.float64) / wide

    return tf.math.log(x), grad


def log_of_double(x):
    return log(2.0 * x)


x = tf.constant(4.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = log_of_double(x)
tape.gradient(y, x)
