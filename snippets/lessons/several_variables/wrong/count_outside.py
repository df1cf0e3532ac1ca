"""Deliberately wrong: the wrong counts again, and the graph's own message."""

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


def tape_outside(product):
    x, y = tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = tf.function(product)(x, y)
    tape.gradient(z, [x, y])


def tf_gradients(product):
    with tf.Graph().as_default():
        x, y = tf.constant(2.0), tf.constant(3.0)
        tf.gradients(product(x, y), [x, y])


for way in (tape_outside, tf_gradients):
    for product in (too_few, too_many):
        try:
            way(product)
        except ValueError as error:
            first, *_, last = str(error).splitlines()
            print(f"{way.__name__}, {product.__name__}: ValueError")
            print(" ", first, "…", last.strip())
