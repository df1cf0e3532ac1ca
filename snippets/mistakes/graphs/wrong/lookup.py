"""Deliberately wrong: the forward pass calls a graph without a gradient."""
# tracebook: raises LookupError

import tensorflow as tf


@tf.function
def darker(x):
    return tf.image.adjust_contrast(x, 0.5)


@tf.custom_gradient
def through(x):
    return darker(x), lambda upstream: upstream


x = tf.ones([2, 2, 1])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = through(x)
tape.gradient(y, x)
