"""Deliberately wrong: forward mode over forward mode, in eager mode."""

# tracebook: alone

import tensorflow as tf


def cube(x):
    m = tf.identity(x)
    return (m * m) * m


def wave(x):
    return tf.sin(x) * tf.exp(x)


def second(function, x):
    one = tf.ones_like(x)
    with tf.autodiff.ForwardAccumulator(x, one) as outer:
        with tf.autodiff.ForwardAccumulator(x, one) as inner:
            y = function(x)
        first = inner.jvp(y)
    return outer.jvp(first)


x = tf.constant(0.7)
for function, right in (
        (cube, 6.0 * x), (wave, 2.0 * tf.exp(x) * tf.cos(x))):
    print(f"{function.__name__} wrong {second(function, x):.4f}"
          f" right {right:.4f}")
