"""Deliberately wrong: a function is an argument."""

import tensorflow as tf


@tf.custom_gradient
def activated(function, x):
    def grad(upstream):
        return None, upstream * 2.0 * x

    return function(x), grad


def squared(x):
    return activated(tf.square, x)


x = tf.constant(3.0)
for mode in squared, tf.function(squared, autograph=False):
    try:
        mode(x)
    except (ValueError, TypeError) as error:
        words = str(error).partition(" at 0x")
        print(f"{type(error).__name__}: {words[0]}>"
              f"{words[2].partition('>')[2].partition('. ')[0]}")
