"""Deliberately wrong: the inverse of a matrix that has none."""

import tensorflow as tf

X = tf.constant([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8, 0.9]])
with tf.GradientTape() as tape:
    tape.watch(X)
    Y = tf.linalg.inv(X)
    y = tf.linalg.trace(Y)
gradient = tape.gradient(y, X)
residual = tf.norm(Y @ X - tf.eye(3))
finite = tf.reduce_all(tf.math.is_finite(gradient))
print("gradient is finite:", finite.numpy())
largest = tf.reduce_max(tf.abs(gradient))
print("gradient is above 1e6:", (largest > 1e6).numpy())
print("Y @ X is the identity:", (residual < 1e-2).numpy())
