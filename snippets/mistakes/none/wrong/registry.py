"""Deliberately wrong: an operation for which TensorFlow has no gradient."""

import tensorflow as tf


def contrast(x):
    return tf.image.adjust_contrast(x, 0.5)


x = tf.constant([[[1.0], [2.0]], [[3.0], [6.0]]])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = contrast(x)
# tracebook: raises LookupError
tape.gradient(y, x)
