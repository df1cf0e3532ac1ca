"""Dropout with a custom gradient: both passes use the same mask."""

import tensorflow as tf


@tf.custom_gradient
def rule(x):
    mask = tf.cast(tf.random.stateless_uniform(x.shape, (1, 5)) < 0.5, x.dtype)

    def grad(upstream):
        local = 2 * mask
        return upstream * local

    return 2 * mask * x, grad


def meant(x):
    mask = tf.cast(tf.random.stateless_uniform(x.shape, (1, 5)) < 0.5, x.dtype)
    return 2 * mask * x


inputs = [tf.constant([0.5, -1.0, 2.0])]
with tf.GradientTape() as tape:
    tape.watch(inputs)
    y = rule(*inputs)
print("downstream =", tape.gradient(y, inputs)[0].numpy())
