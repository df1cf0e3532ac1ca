"""Deliberately wrong: the gradient of a reshaped factor isn't summed."""

import tensorflow as tf


@tf.custom_gradient
def scaled(x, factor):
    def grad(upstream):
        return upstream * factor, upstream * x

    return x * factor, grad


def scaled_by(x, factors):
    return scaled(x, tf.reshape(factors, []))


x, factors = tf.ones([2, 3]), tf.constant([2.0])
with tf.GradientTape() as tape:
    tape.watch(factors)
    y = scaled_by(x, factors)
try:
    tape.gradient(y, factors)
except tf.errors.InvalidArgumentError as error:
    message = str(error).partition("}} ")[2].partition(" [Op:")[0]
    print(f"{type(error).__name__}: {message}")
