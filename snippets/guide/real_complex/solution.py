"""The gradients of tf.complex(a, b) and of tf.math.real(z)."""

import tensorflow as tf


# truth: a.shape == b.shape
@tf.custom_gradient
def join(a, b):
    def grad(upstream):
        return tf.math.real(upstream), tf.math.imag(upstream)

    return tf.complex(a, b), grad


@tf.custom_gradient
def real_part(z):
    return tf.math.real(z), lambda upstream: tf.cast(upstream, z.dtype)


a = tf.constant(1.0, tf.float64)
b = tf.constant(2.0, tf.float64)
for weight in (1, 1 + 3j):
    weight = tf.constant(weight, tf.complex128)
    with tf.GradientTape() as tape:
        tape.watch([a, b])
        L = real_part(tf.math.conj(weight) * join(a, b))
    slopes = [slope.numpy() for slope in tape.gradient(L, [a, b])]
    print("upstream", weight.numpy(), "gradients", *slopes)
