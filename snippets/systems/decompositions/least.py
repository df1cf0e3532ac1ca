"""Least squares by QR: the gradient function solves with R twice."""

import tensorflow as tf


# truth: X = tf.tanh(X) + tf.eye(12, 2, dtype=X.dtype)
# truth: X.shape == [12, 2]; b.shape == [12]
@tf.custom_gradient
def least(X, b):
    Q, R = tf.linalg.qr(X)

    def solve(c, adjoint=False):
        return tf.linalg.triangular_solve(
            R, c[:, None], lower=False, adjoint=adjoint)[:, 0]

    y = solve(tf.linalg.matvec(Q, b, transpose_a=True))

    def grad(upstream):
        w = solve(solve(upstream, adjoint=True))
        b_bar = tf.linalg.matvec(X, w)
        error = b - tf.linalg.matvec(X, y)
        return error[:, None] * w - b_bar[:, None] * y, b_bar

    return y, grad


def normal(X, b):
    return tf.linalg.lstsq(X, b[:, None])[:, 0]


def gradient(function, X, b):
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = function(X, b)
        loss = tf.reduce_sum(tf.constant([1.0, -2.0], y.dtype) * y)
    return tf.cast(tape.gradient(loss, X), tf.float64)


years = tf.range(12.0, dtype=tf.float64)
b = tf.sqrt(years)
for start in (0.0, 100.0, 2000.0):
    X = tf.stack([tf.ones_like(years), start + years], 1)
    X32, b32 = tf.cast(X, tf.float32), tf.cast(b, tf.float32)
    right = gradient(least, X, b)
    for name, each in ("QR", least), ("lstsq", normal):
        off = tf.norm(gradient(each, X32, b32) - right) / tf.norm(right)
        print(f"from {start:4.0f} in float32, {name:5} to three digits:"
              f" {bool(off < 1e-3)}")
