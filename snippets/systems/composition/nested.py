"""A custom gradient whose gradient function has a custom gradient."""

import tensorflow as tf


@tf.custom_gradient
def slope(x):
    s = tf.sigmoid(x)

    def grad(upstream):
        local = s * (1 - s)
        return upstream * local

    return s, grad


@tf.custom_gradient
def rule(x):
    def grad(upstream):
        local = slope(x)
        return upstream * local

    return tf.math.softplus(x), grad


def meant(x):
    return tf.math.softplus(x)


inputs = [tf.constant([0.5, -1.0, 2.0])]
with tf.GradientTape() as tape:
    tape.watch(inputs)
    y = rule(*inputs)
print("downstream =", tape.gradient(y, inputs)[0].numpy())
