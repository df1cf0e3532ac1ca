"""Deliberately wrong: a gradient of shape [2, 1] for an input of [2, 3]."""

import tensorflow as tf


@tf.custom_gradient
def row_sums(x):
    def grad(upstream):
        downstream = 2.0 * upstream[:, tf.newaxis]
        tf.print("x:", tf.shape(x), " downstream:", tf.shape(downstream))
        return downstream

    return 2.0 * tf.reduce_sum(x, axis=1), grad


def plain(x):
    return 2.0 * tf.reduce_sum(x, axis=1)


def gradient_of_b(function, b):
    x = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    with tf.GradientTape() as tape:
        tape.watch(b)
        y = function(x + b)
        loss = tf.reduce_sum(y * [1.0, 10.0])
    return tape.gradient(loss, b)


@tf.function
def in_graph(b):
    return gradient_of_b(row_sums, b)


b = tf.constant(0.0)
print("custom, eager:      ", gradient_of_b(row_sums, b).numpy())
print("custom, tf.function:", in_graph(b).numpy())
print("autodiff:           ", gradient_of_b(plain, b).numpy())
