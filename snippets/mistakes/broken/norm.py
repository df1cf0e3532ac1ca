"""Norms at zero."""

import tensorflow as tf


def two_where(x):
    squares = tf.reduce_sum(x * x)
    safe = tf.where(squares > 0.0, squares, 1.0)
    return tf.where(squares > 0.0, tf.sqrt(safe), 0.0)


for function in tf.norm, tf.math.reduce_euclidean_norm, two_where:
    x = tf.constant([0.0, 0.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    print(f"{function.__name__:22} {tape.gradient(y, x).numpy()}")
