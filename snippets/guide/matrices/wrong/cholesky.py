"""Deliberately wrong: a check that changes one of two equal elements."""

import tensorflow as tf

X = tf.constant([[4.0, 2.0], [2.0, 3.0]], tf.float64)
gradient, differences = tf.test.compute_gradient(tf.linalg.cholesky, [X])
print("derivatives of Y21 with respect to X11, X12, X21, X22")
print("TensorFlow ", gradient[0][2].round(4))
print("differences", differences[0][2].round(4))
