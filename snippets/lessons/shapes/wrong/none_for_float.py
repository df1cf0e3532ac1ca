"""Deliberately wrong: None for an input that has a gradient."""

import tensorflow as tf


@tf.custom_gradient
def row_sums(s, x):
    def grad(upstream):
        return None, s * upstream[:, tf.newaxis] * tf.ones_like(x)

    return s * tf.reduce_sum(x, axis=1), grad


def plain(s, x):
    return s * tf.reduce_sum(x, axis=1)


def gradient_of_s(function, penalty):
    s = tf.constant(2.0)
    x = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    with tf.GradientTape() as tape:
        tape.watch([s, x])
        y = function(s, x)
        loss = tf.reduce_sum(y * [1.0, 10.0]) + penalty * s**2
    return tape.gradient(loss, s).numpy()


print("with the penalty 3 s**2, custom:  ", gradient_of_s(row_sums, 3.0))
print("with the penalty 3 s**2, autodiff:", gradient_of_s(plain, 3.0))
