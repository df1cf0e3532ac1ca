"""Deliberately wrong: the gradient of a scalar has the product's shape."""

import tensorflow as tf


@tf.custom_gradient
def scaled(x, factor):
    def grad(upstream):
        return upstream * factor, upstream * x

    return x * factor, grad


def step(x, factor):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(scaled(x, factor))
    factor.assign_sub(0.1 * tape.gradient(loss, factor))


x, factor = tf.ones([2, 3]), tf.Variable(2.0)
for mode in step, tf.function(step, autograph=False):
    try:
        mode(x, factor)
    except (ValueError, tf.errors.InvalidArgumentError) as error:
        message = str(error).partition(" for '")[0].partition(" [Op:")[0]
        print(f"{type(error).__name__}: {message.rpartition('}} ')[2]}")
