"""Deliberately wrong: a gradient through equal eigenvalues."""

import tensorflow as tf


def exponential(X):
    values, V = tf.linalg.eigh(X)
    return V @ tf.linalg.diag(tf.exp(values)) @ tf.transpose(V)


X = tf.eye(2)
for name, function in (
        ("wrong", exponential), ("right", tf.linalg.expm)):
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = tf.reduce_sum(function(X))
    print(name, f"y = {y:.4f}", tape.gradient(y, X).numpy().round(4).tolist())
