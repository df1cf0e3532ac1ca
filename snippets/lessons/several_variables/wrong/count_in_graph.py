"""Deliberately wrong: one gradient too few, then one too many, in a graph."""

import tensorflow as tf


@tf.custom_gradient
def too_few(x, y):
    def grad(upstream):
        return upstream * y

    return x * y, grad


@tf.custom_gradient
def too_many(x, y):
    def grad(upstream):
        return upstream * y, upstream * x, upstream

    return x * y, grad


for product in (too_few, too_many):
    @tf.function
    def gradients(x, y):
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            z = product(x, y)
        return tape.gradient(z, [x, y])

    try:
        gradients(tf.constant(2.0), tf.constant(3.0))
    except tf.errors.InternalError as error:
        print(str(error).strip().splitlines()[-1].strip())
