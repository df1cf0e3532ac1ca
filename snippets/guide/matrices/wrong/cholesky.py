"""Wrong on purpose: a check that moves one half of a symmetric matrix."""

import tensorflow as tf

X = tf.constant([[4.0, 2.0], [2.0, 3.0]], tf.float64)
rule, differences = tf.test.compute_gradient(tf.linalg.cholesky, [X])
print("slopes of Y21 by X11, X12, X21, X22")
print("TensorFlow ", rule[0][2].round(4))
print("differences", differences[0][2].round(4))
