"""Deliberately wrong: tf.custom_gradient is above tf.function."""

import tensorflow as tf


@tf.custom_gradient
@tf.function
def square(x):
    def grad(upstream):
        return upstream * 2.0 * x

    return x * x, grad


x = tf.constant(3.0)
try:
    square(x)
except TypeError as error:
    start, _, rest = str(error).partition(" at 0x")
    print(start + ">" + rest.partition(">")[2])
