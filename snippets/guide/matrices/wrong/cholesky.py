"""Deliberately wrong: a check that moves half of a symmetric matrix."""

import tensorflow as tf

X = tf.constant([[4.0, 2.0], [2.0, 3.0]], tf.float64)
rule, differences = tf.test.compute_gradient(tf.linalg.cholesky, [X])
print("derivatives of Y21 with respect to X11, X12, X21, X22")
print("TensorFlow ", rule[0][2].round(4))
print("differences", differences[0][2].round(4))
