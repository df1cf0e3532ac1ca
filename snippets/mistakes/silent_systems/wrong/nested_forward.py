"""Deliberately wrong: forward mode over forward mode, eagerly."""

import tensorflow as tf


def cube(x):
    m = tf.identity(x)
    return (m * m) * m


def second(x):
    one = tf.ones_like(x)
    with tf.autodiff.ForwardAccumulator(x, one) as outer:
        with tf.autodiff.ForwardAccumulator(x, one) as inner:
            y = cube(x)
        first = inner.jvp(y)
    return outer.jvp(first)


x = tf.constant(0.7)
print(f"wrong {second(x):.4f}")
print(f"right {6.0 * x:.4f}")
