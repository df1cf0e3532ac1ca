"""A semidefinite matrix, with an eigenvalue 0: which gradients are finite."""

import numpy as np
import tensorflow as tf


def by_vectors(A):
    lambda_, V = tf.linalg.eigh(A)
    return tf.matmul(V * tf.sqrt(lambda_), V, transpose_b=True)


def log_det(A):
    return tf.linalg.slogdet(A)[1]


def largest(function, A):
    """The largest absolute value in the gradient."""
    with tf.GradientTape() as tape:
        tape.watch(A)
        Y = function(A)
    try:
        return np.round(np.max(abs(tape.gradient(Y, A))), 3)
    except tf.errors.InvalidArgumentError as error:
        return str(error).split("}} ")[1].split(" [Op")[0]


A = tf.linalg.diag(tf.constant([0.0, 2.0], tf.float64))
for name, function in (("eigvalsh", tf.linalg.eigvalsh),
                       ("expm", tf.linalg.expm),
                       ("sqrtm", tf.linalg.sqrtm),
                       ("root by eigenvectors", by_vectors),
                       ("cholesky", tf.linalg.cholesky),
                       ("log |det|", log_det)):
    print(f"{name:21}", largest(function, A))

for epsilon in (1e-2, 1e-6, 1e-10):
    shifted = A + epsilon * tf.eye(2, dtype=A.dtype)
    print(f"sqrtm, plus {epsilon:<9g}", largest(tf.linalg.sqrtm, shifted))
