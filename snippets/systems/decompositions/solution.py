"""The logarithm of a symmetric matrix, with a quotient that keeps digits."""

import tensorflow as tf


# truth: A = A @ tf.transpose(A) + 0.1 * tf.eye(2, dtype=A.dtype)
# truth: A.shape == [2, 2]; first derivative only
@tf.custom_gradient
def logm(A):
    A = 0.5 * (A + tf.transpose(A))
    lambda_, V = tf.linalg.eigh(A)

    def grad(Y_bar):
        a, b = lambda_[:, None], lambda_[None, :]
        z = (a - b) / (a + b)
        series = 1.0 + z * z / 3.0
        small = abs(z) < 1e-4
        z = tf.where(small, tf.ones_like(z) / 2.0, z)
        K = 2.0 / (a + b) * tf.where(small, series, tf.atanh(z) / z)
        far = abs(z) > 0.5
        gap = tf.where(far, a - b, tf.ones_like(z))
        K = tf.where(far, (tf.math.log(a) - tf.math.log(b)) / gap, K)
        M = K * (tf.transpose(V) @ Y_bar @ V)
        G = V @ M @ tf.transpose(V)
        return 0.5 * (G + tf.transpose(G))

    return tf.matmul(V * tf.math.log(lambda_), V, transpose_b=True), grad


W = tf.constant([[1.0, 2.0], [4.0, 10.0]], tf.float64)
D = tf.constant([[1.0, 3.0], [3.0, -2.0]], tf.float64)
for gap in (1.0, 1e-3, 1e-8, 0.0):
    A = tf.linalg.diag(tf.constant([1.0, 1.0 + gap], tf.float64))
    with tf.GradientTape() as tape:
        tape.watch(A)
        loss = tf.reduce_sum(W * logm(A))
    found = tf.reduce_sum(tape.gradient(loss, A) * D)
    h = 1e-5
    change = tf.reduce_sum(W * (logm(A + h * D) - logm(A - h * D)))
    print(f"gap {gap:<6g} custom {found:.6f}  differences"
          f" {change / (2 * h):.6f}")
