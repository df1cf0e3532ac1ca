"""The modulus of complex numbers, with a custom gradient and a step down."""

import tensorflow as tf


@tf.custom_gradient
def modulus(z):
    r = tf.abs(z)

    def grad(upstream):
        local = tf.math.divide_no_nan(z, tf.cast(r, z.dtype))
        return tf.cast(upstream, z.dtype) * local

    return r, grad


z = tf.constant([3 + 4j, -1j, 0j], tf.complex128)
weights = tf.constant([1.0, 10.0, 100.0], tf.float64)
for name, function in (("custom", modulus), ("autodiff", tf.abs)):
    with tf.GradientTape() as tape:
        tape.watch(z)
        L = tf.reduce_sum(weights * function(z))
    gradient = tape.gradient(L, z)
    lower = tf.reduce_sum(weights * function(z - 0.01 * gradient))
    print(f"{name:8}  gradient {gradient.numpy().round(4) + 0}")
    print(f"{'':8}  L = {L:.4f}  after a step down {lower:.4f}")
