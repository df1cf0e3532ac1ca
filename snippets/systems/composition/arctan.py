"""A custom gradient inside a custom gradient; both capture their input."""

import tensorflow as tf


@tf.custom_gradient
def slope(x):
    s = 1 / (1 + x**2)

    def grad(upstream):
        local = -2 * x * s**2
        return upstream * local

    return s, grad


@tf.custom_gradient
def rule(x):
    def grad(upstream):
        local = slope(x)
        return upstream * local

    return tf.atan(x), grad


def meant(x):
    return tf.atan(x)


inputs = [tf.constant([0.5, -1.0, 2.0])]
with tf.GradientTape() as tape:
    tape.watch(inputs)
    y = rule(*inputs)
print("downstream =", tape.gradient(y, inputs)[0].numpy())
