"""Deliberately wrong: the root of a matrix, through its eigenvectors."""

import tensorflow as tf


def root(A):
    lambda_, V = tf.linalg.eigh(A)
    return tf.matmul(V * tf.sqrt(lambda_), V, transpose_b=True)


A = tf.eye(2, dtype=tf.float64)
weights = tf.constant([[1.0, 2.0], [4.0, 10.0]], A.dtype)
D = tf.constant([[0.0, 1.0], [1.0, 0.0]], A.dtype)
with tf.GradientTape() as tape:
    tape.watch(A)
    loss = tf.reduce_sum(weights * root(A))
gradient = tape.gradient(loss, A)
print("gradient          ", gradient.numpy().tolist())
print(f"along D            {tf.reduce_sum(gradient * D):.6f}")
h = 1e-5
change = tf.reduce_sum(weights * (root(A + h * D) - root(A - h * D)))
print(f"central differences {change / (2 * h):.6f}")
