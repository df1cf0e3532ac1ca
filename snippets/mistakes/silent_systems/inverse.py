"""Check that the inverse times the matrix is the identity."""

import tensorflow as tf


def inverse(X):
    Y = tf.linalg.inv(X)
    off = tf.abs(Y @ X - tf.eye(tf.shape(X)[-1], dtype=X.dtype))
    is_near = tf.reduce_all(tf.norm(off, axis=[-2, -1]) < 0.5)
    tf.debugging.Assert(is_near, ["no inverse"])
    return Y


for last in 0.8, 0.9:
    X = tf.constant([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8, last]])
    try:
        with tf.GradientTape() as tape:
            tape.watch(X)
            y = tf.linalg.trace(inverse(X))
        Y = tf.linalg.inv(X)
        expected = -tf.transpose(Y @ Y)
        error = tf.norm(tape.gradient(y, X) / expected - 1.0)
        print("gradient agrees with the formula:", (error < 1e-3).numpy())
    except tf.errors.InvalidArgumentError as error:
        print(type(error).__name__, "no inverse" in error.message)
