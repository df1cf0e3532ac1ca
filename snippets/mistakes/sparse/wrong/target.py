"""Deliberately wrong: the second derivative of a lookup."""
# tracebook: raises AttributeError

import tensorflow as tf


def gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.gather(x, [0, 0]) ** 2.0
    return tape.gradient(y, x)


x = tf.constant([5.0, 6.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    first = gradient(x)
tape.gradient(first, x)
