"""A complex product and its squared modulus, each with a custom gradient."""

import tensorflow as tf


def show(name, z):
    """tf.print writes a complex number as ?."""
    tf.print(name, tf.strings.as_string(z, shortest=True))


# truth: z.shape == w.shape
@tf.custom_gradient
def product(z, w):
    def grad(upstream):
        downstream_z = upstream * tf.math.conj(w)
        downstream_w = upstream * tf.math.conj(z)
        show("product: upstream    ", upstream)
        show("         local for z ", w)
        show("         downstream z", downstream_z)
        show("         local for w ", z)
        show("         downstream w", downstream_w)
        return downstream_z, downstream_w

    return z * w, grad


@tf.custom_gradient
def abs2(z):
    def grad(upstream):
        local = 2.0 * z
        downstream = tf.cast(upstream, z.dtype) * local
        show("abs2:    upstream    ", upstream)
        show("         local       ", local)
        show("         downstream  ", downstream)
        return downstream

    return tf.math.real(z) ** 2 + tf.math.imag(z) ** 2, grad


z, w = tf.constant(1 + 2j, tf.complex64), tf.constant(3 - 1j, tf.complex64)
with tf.GradientTape() as tape:
    tape.watch([z, w])
    y = product(z, w)
    L = abs2(y)
tf.print("tf.print writes y =", y)
show("y =", y)
show("L =", L)
gradient_z, gradient_w = tape.gradient(L, [z, w])
print("gradient of z", gradient_z.numpy(), "of w", gradient_w.numpy())
