"""The square of complex numbers, with a custom gradient."""

import tensorflow as tf


@tf.custom_gradient
def rule(z):
    def grad(upstream):
        local = 2 * z
        return upstream * tf.math.conj(local)

    return z * z, grad


def meant(z):
    return z * z


inputs = [tf.constant([0.5 + 1j, -1.0, 2.0 - 0.5j], tf.complex64)]
with tf.GradientTape() as tape:
    tape.watch(inputs)
    w = rule(*inputs)
print("downstream =", tape.gradient(w, inputs)[0].numpy())
