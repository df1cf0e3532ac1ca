"""Compute a matrix function without eigenvectors, and the smallest gap."""

import tensorflow as tf


def smallest_gap(X):
    values = tf.linalg.eigvalsh(X)
    return tf.reduce_min(values[..., 1:] - values[..., :-1])


for X in tf.eye(2), tf.constant([[1.0, 0.5], [0.5, 2.0]]):
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = tf.reduce_sum(tf.linalg.expm(X))
    gradient = tape.gradient(y, X)
    h = tf.constant([[0.0, 1e-2], [1e-2, 0.0]])
    slope = (tf.reduce_sum(tf.linalg.expm(X + h) - tf.linalg.expm(X - h))
             / 2e-2)
    print(f"gap {smallest_gap(X):.4f}  gradient along the step"
          f" {gradient[0, 1] + gradient[1, 0]:.3f}"
          f"  finite difference {slope:.3f}")
