"""upstream is cast to the dtype of the input."""

import tensorflow as tf


@tf.custom_gradient
def energy(z):
    def grad(upstream):
        return 2.0 * tf.cast(upstream, z.dtype) * z

    return tf.math.real(z * tf.math.conj(z)), grad


def plain(z):
    return tf.math.real(z * tf.math.conj(z))


z = tf.constant(1.0 + 2.0j, tf.complex64)
for name, function in (("custom", energy), ("autodiff", plain)):
    with tf.GradientTape() as tape:
        tape.watch(z)
        y = function(z)
    print(f"{name:8}", tape.gradient(y, z).numpy())
