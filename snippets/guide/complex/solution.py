"""The direction z / |z|: a change of the length of z has no effect."""

import tensorflow as tf


# truth: abs(z) > 0.1
@tf.custom_gradient
def direction(z):
    r = tf.cast(tf.abs(z), z.dtype)
    y = z / r

    def grad(upstream):
        along = tf.math.real(tf.math.conj(upstream) * y)
        return (upstream - tf.cast(along, z.dtype) * y) / r

    return y, grad


z = tf.constant([1 + 2j, -3j, 0.5 + 0j], tf.complex128)
upstream = tf.constant([1 + 1j, 2 + 0j, 3 + 0j], tf.complex128)
with tf.GradientTape() as tape:
    tape.watch(z)
    y = direction(z)
downstream = tape.gradient(y, z, output_gradients=upstream)

a, b = tf.math.real(z), tf.math.imag(z)
with tf.GradientTape() as tape:
    tape.watch([a, b])
    r = tf.sqrt(a ** 2 + b ** 2)
    L = tf.reduce_sum(tf.math.real(upstream) * a / r
                      + tf.math.imag(upstream) * b / r)
pair = tf.complex(*tape.gradient(L, [a, b]))
print("y         ", y.numpy().round(4) + 0)
print("downstream", downstream.numpy().round(4) + 0)
print("as pairs  ", pair.numpy().round(4) + 0)
