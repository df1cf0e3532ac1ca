"""A custom gradient for the complex determinant, with the conjugate."""

import tensorflow as tf


# truth: tf.abs(tf.linalg.det(X)) > 0.1; first derivative only
@tf.custom_gradient
def det(X):
    y = tf.linalg.det(X)

    def grad(upstream):
        inverse = tf.linalg.adjoint(tf.linalg.inv(X))
        return (upstream * tf.math.conj(y))[..., None, None] * inverse

    return y, grad


z = tf.constant(1 + 2j, tf.complex128)
with tf.GradientTape(persistent=True) as tape:
    tape.watch(z)
    y, same = det(tf.stack([[z, 3.0], [1j, 2.0]])), 2.0 * z - 3j
gradient = tape.gradient(y, z)
tf.debugging.assert_near(gradient, tape.gradient(same, z))
print(y.numpy().round(6), gradient.numpy().round(6))
