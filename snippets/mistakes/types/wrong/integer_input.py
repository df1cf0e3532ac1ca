"""Deliberately wrong: the input is an integer tensor."""

import tensorflow as tf


@tf.custom_gradient
def halved(x):
    def grad(upstream):
        return 0.5 * upstream

    return tf.cast(x, tf.float32) / 2.0, grad


x = tf.constant([4, 6])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = halved(x)
print("x", x.dtype.name, "y", y.numpy(), "to x:", tape.gradient(y, x))
