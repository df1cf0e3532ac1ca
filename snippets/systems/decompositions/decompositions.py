"""Eigenvalues and eigenvectors of a symmetric matrix, with a gradient."""

import tensorflow as tf


# truth: A.shape == [2, 2]; first derivative only
@tf.custom_gradient
def eigh(A):
    A = 0.5 * (A + tf.transpose(A))
    lambda_, V = tf.linalg.eigh(A)

    def grad(upstream_lambda, upstream_V):
        gap = lambda_[None, :] - lambda_[:, None]
        F = tf.math.divide_no_nan(tf.ones_like(gap), gap)
        P = F * tf.matmul(V, upstream_V, transpose_a=True)
        G = V @ (tf.linalg.diag(upstream_lambda) + P) @ tf.transpose(V)
        tf.print("upstream  ", upstream_lambda, "for lambda")
        tf.print("upstream  ", upstream_V, "for V")
        tf.print("local F   ", F)
        tf.print("local V   ", V)
        return 0.5 * (G + tf.transpose(G))

    return (lambda_, V), grad


def gradient(function):
    with tf.GradientTape() as tape:
        tape.watch(A)
        lambda_, V = function(A)
        loss = tf.reduce_sum(lambda_ * [1.0, 10.0]) + 100.0 * V[0, 0]
    return tape.gradient(loss, A).numpy().round(6)


A = tf.constant([[2.0, 1.0], [1.0, 2.0]], tf.float64)
print("values    ", eigh(A)[0].numpy())
downstream = gradient(eigh)
print("downstream", downstream.tolist())
own = gradient(tf.linalg.eigh)
print("TensorFlow", own.tolist())
print("symmetric ", (0.5 * (own + own.T)).tolist())
