"""Deliberately wrong: a mean of two slopes, taken for the gradient."""

import numpy as np
import tensorflow as tf

z = tf.random.stateless_normal([10000, 3], seed=[1, 2])


def is_subgradient(function, g):
    """f(z) >= f(0) + g z, for each row z"""
    return bool(tf.reduce_all(function(z) >= tf.linalg.matvec(z, g) - 1e-6))


def show(g):
    return "[" + " ".join(f"{each:.4f}" for each in g) + "]"


zero = tf.zeros([3])
for name, function in (
        ("sum of abs", lambda x: tf.reduce_sum(tf.abs(x), axis=-1)),
        ("sum of relu", lambda x: tf.reduce_sum(tf.nn.relu(x), axis=-1)),
        ("reduce_max", lambda x: tf.reduce_max(x, axis=-1))):
    found, differences = (each[0][0] for each in tf.test.compute_gradient(
        function, [zero]))
    print(f"{name:11} TensorFlow ", show(found), " a subgradient:",
          is_subgradient(function, found))
    print(f"{'':11} differences", show(differences), " a subgradient:",
          is_subgradient(function, differences), " test passes:",
          np.allclose(found, differences, atol=1e-3))
