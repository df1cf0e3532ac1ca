"""Deliberately wrong: the gradient of a product without the conjugate."""

import tensorflow as tf


@tf.custom_gradient
def product(z, w):
    return z * w, lambda upstream: (upstream * w, upstream * z)


def loss(z, w):
    return tf.abs(product(z, w)) ** 2


h = 1e-6
for z, w in ((1 + 0j, 3 + 0j), (1 + 2j, 3 - 1j)):
    z, w = tf.constant(z, tf.complex128), tf.constant(w, tf.complex128)
    with tf.GradientTape() as tape:
        tape.watch(z)
        L = loss(z, w)
    found = tape.gradient(L, z).numpy()
    along_1, along_i = (
        (loss(z + h * unit, w) - loss(z - h * unit, w)).numpy() / (2 * h)
        for unit in (1, 1j))
    print(f"z {z.numpy():.0f}, w {w.numpy():.0f}: custom {found:.0f},"
          f" differences {along_1:.3f} and {along_i:.3f}")
