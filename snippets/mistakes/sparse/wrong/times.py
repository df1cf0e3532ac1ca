"""Deliberately wrong: upstream behind a gather isn't a tensor."""
# tracebook: raises TypeError

import tensorflow as tf


# truth: the rule is right
@tf.custom_gradient
def square(x):
    return x * x, lambda upstream: upstream * 2.0 * x


def picked(x):
    return tf.gather(square(x), [0, 0, 1])


x = tf.constant([5.0, 6.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = picked(x)
tape.gradient(y, x)
