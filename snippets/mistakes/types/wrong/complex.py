"""Deliberately wrong: grad multiplies a real and a complex tensor."""
# tracebook: raises InvalidArgumentError

import tensorflow as tf


@tf.custom_gradient
def energy(z):
    def grad(upstream):
        return 2.0 * upstream * z

    return tf.math.real(z * tf.math.conj(z)), grad


z = tf.constant(1.0 + 2.0j, tf.complex64)
with tf.GradientTape() as tape:
    tape.watch(z)
    y = energy(z)
tape.gradient(y, z)
