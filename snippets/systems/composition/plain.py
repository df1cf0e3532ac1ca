"""A cube with a custom gradient, and the plain function."""

import tensorflow as tf


@tf.custom_gradient
def rule(x):
    def grad(upstream):
        local = 3 * x**2
        return upstream * local

    return x**3, grad


def meant(x):
    return x**3


inputs = [tf.constant([0.5, -1.0, 2.0])]
with tf.GradientTape() as tape:
    tape.watch(inputs)
    y = rule(*inputs)
print("downstream =", tape.gradient(y, inputs)[0].numpy())
