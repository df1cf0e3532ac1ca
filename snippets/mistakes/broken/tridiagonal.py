"""The gradient of the eigenvalues of a tridiagonal matrix."""

import numpy as np
import tensorflow as tf

weights = tf.constant([1.0, 2.0, 3.0], tf.float64)
alpha = tf.constant([0.5, 0.9, 0.3], tf.float64)
beta = tf.constant([0.4, 0.7], tf.float64)


def of_diagonals(alpha):
    return tf.linalg.eigh_tridiagonal(alpha, beta)


def of_matrix(alpha):
    matrix = tf.linalg.diag(alpha)
    matrix += tf.linalg.diag(beta, k=1) + tf.linalg.diag(beta, k=-1)
    return tf.linalg.eigvalsh(matrix)


for name, function in (
        ("eigh_tridiagonal", of_diagonals), ("eigvalsh", of_matrix)):
    def loss(alpha):
        return tf.reduce_sum(weights * function(alpha))

    with tf.GradientTape() as tape:
        tape.watch(alpha)
        L = loss(alpha)
    steps = 1e-5 * np.eye(3)
    right = [(loss(alpha + h) - loss(alpha - h)).numpy() / 2e-5 for h in steps]
    print(f"{name:16} eigenvalues {function(alpha).numpy().round(4)}")
    print(f"  tape {tape.gradient(L, alpha).numpy().round(4)}"
          f"  differences {np.round(right, 4)}")
