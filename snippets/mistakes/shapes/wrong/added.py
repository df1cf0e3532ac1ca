"""Deliberately wrong: two gradients of one input have different shapes."""

import tensorflow as tf


@tf.custom_gradient
def scaled(x, factor):
    def grad(upstream):
        return upstream * factor, upstream * x

    return x * factor, grad


def twice(x, factor):
    return tf.reduce_sum(scaled(x, factor)) + factor**2


def gradient(x, factor):
    with tf.GradientTape() as tape:
        tape.watch(factor)
        y = twice(x, factor)
    return tape.gradient(y, factor)


x, factor = tf.ones([2, 3]), tf.constant(2.0)
for mode in gradient, tf.function(gradient, autograph=False):
    try:
        mode(x, factor)
    except (ValueError, tf.errors.InvalidArgumentError) as error:
        message = str(error).partition(" for '")[0].partition(" [Op:")[0]
        message = " ".join(message.rpartition("}} ")[2].split())
        print(f"{type(error).__name__}: {message}")
