"""A function of a symmetric matrix: no eigenvector is differentiated."""

import numpy as np
import tensorflow as tf


def quotients(f, slope, x):
    """(f(a) - f(b)) / (a - b) for all pairs; the derivative if a = b."""
    a, b = x[:, None], x[None, :]
    end = np.finfo(x.dtype.as_numpy_dtype).eps ** (1 / 3)
    close = abs(a - b) <= end * tf.maximum(abs(a), abs(b))
    gap = tf.where(close, tf.ones_like(a - b), a - b)
    return tf.where(close, slope(0.5 * (a + b)), (f(a) - f(b)) / gap)


# truth: A = A @ tf.transpose(A) + 0.1 * tf.eye(2, dtype=A.dtype)
# truth: A.shape == [2, 2]; first derivative only
@tf.custom_gradient
def root(A):
    lambda_, V = tf.linalg.eigh(0.5 * (A + tf.transpose(A)))

    def grad(Y_bar):
        K = quotients(tf.sqrt, lambda x: 0.5 / tf.sqrt(x), lambda_)
        M = K * (tf.transpose(V) @ Y_bar @ V)
        G = V @ M @ tf.transpose(V)
        return 0.5 * (G + tf.transpose(G))

    return tf.matmul(V * tf.sqrt(lambda_), V, transpose_b=True), grad


def by_vectors(A):
    lambda_, V = tf.linalg.eigh(A)
    return tf.matmul(V * tf.sqrt(lambda_), V, transpose_b=True)


def slope(function, A):
    with tf.GradientTape() as tape:
        tape.watch(A)
        loss = tf.reduce_sum(weights * function(A))
    return tf.reduce_sum(tape.gradient(loss, A) * D)


weights = tf.constant([[1.0, 2.0], [4.0, 10.0]], tf.float64)
D = tf.constant([[0.0, 1.0], [1.0, 0.0]], tf.float64)
h = 1e-5
for gap in (1.0, 1e-8, 1e-10, 1e-12, 0.0):
    A = tf.linalg.diag(tf.constant([1.0, 1.0 + gap], tf.float64))
    change = tf.reduce_sum(weights * (root(A + h * D) - root(A - h * D)))
    print(f"gap {gap:<6g} TensorFlow {slope(by_vectors, A):.3f}"
          f"  custom {slope(root, A):.3f}"
          f"  differences {change / (2 * h):.3f}")
