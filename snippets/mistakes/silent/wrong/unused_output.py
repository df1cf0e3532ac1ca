"""Deliberately wrong: each upstream gradient is divided by its norm."""

import tensorflow as tf


def unit(upstream):
    return upstream / tf.norm(upstream)


@tf.custom_gradient
def two(x):
    def grad(upstream_y, upstream_z):
        return 2.0 * unit(upstream_y) + 3.0 * unit(upstream_z)

    return (2.0 * x, 3.0 * x), grad


def first(x):
    return two(x)[0]


x = tf.constant([1.0, 1.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.reduce_sum([3.0, 4.0] * first(x))
print("custom", tape.gradient(y, x).numpy())
print("right ", (2.0 * unit(tf.constant([3.0, 4.0]))).numpy())
