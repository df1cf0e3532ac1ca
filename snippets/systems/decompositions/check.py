"""Functions of a matrix with equal eigenvalues, every element checked."""

import numpy as np
import tensorflow as tf


def of_matrix(f, slope, size):
    # truth: A = A @ tf.transpose(A) + 0.1 * tf.eye(5, dtype=A.dtype)
    # truth: A.shape == [5, 5]; first derivative only
    @tf.custom_gradient
    def function(A):
        lambda_, V = tf.linalg.eigh(0.5 * (A + tf.transpose(A)))

        def grad(Y_bar):
            a, b = lambda_[:, None], lambda_[None, :]
            close = abs(a - b) <= 1e-5 * size(a, b)
            gap = tf.where(close, tf.ones_like(a - b), a - b)
            K = tf.where(close, slope(0.5 * (a + b)), (f(a) - f(b)) / gap)
            M = K * (tf.transpose(V) @ Y_bar @ V)
            G = V @ M @ tf.transpose(V)
            return 0.5 * (G + tf.transpose(G))

        return tf.matmul(V * f(lambda_), V, transpose_b=True), grad

    return function


def gradient(function):
    with tf.GradientTape() as tape:
        tape.watch(A)
        loss = tf.reduce_sum(W * function(A))
    G = tape.gradient(loss, A)
    return 0.5 * (G + tf.transpose(G))


def by_differences(function):
    G, h = np.zeros([5, 5]), 1e-5
    for i, j in np.ndindex(5, 5):
        D = np.zeros([5, 5])
        D[i, j] = 1.0
        change = function(A + h * D) - function(A - h * D)
        G[i, j] = tf.reduce_sum(W * change) / (2 * h)
    return G


rng = np.random.default_rng(0)
Q = np.linalg.qr(rng.standard_normal([5, 5]))[0]
A = tf.constant((Q * [1.0, 1.0, 1.0, 2.0, 2.0]) @ Q.T)
W = tf.constant(rng.standard_normal([5, 5]))
for name, f, slope, size, own in (
        ("root", tf.sqrt, lambda x: 0.5 / tf.sqrt(x), tf.maximum,
         tf.linalg.sqrtm),
        ("exp", tf.exp, tf.exp, lambda a, b: 1.0, tf.linalg.expm)):
    rule = of_matrix(f, slope, size)
    found = gradient(rule)
    for other, right in (("differences", by_differences(rule)),
                         ("TensorFlow", gradient(own))):
        off = tf.reduce_max(abs(found - right))
        print(f"{name:4} {other:11} agree: {bool(off < 1e-8)}")
    print(f"{name:4} norm of the gradient {tf.norm(found):.6f}")
