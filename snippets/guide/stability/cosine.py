"""Rows that are almost zero stay zero, with a gradient of 0."""

import tensorflow as tf


def unit(x, shortest=1e-3):
    """Divide each row by its norm, or by nothing if it is too short."""
    squares = tf.reduce_sum(tf.square(x), axis=-1, keepdims=True)
    is_long = squares > shortest**2
    norm = tf.sqrt(tf.where(is_long, squares, 1.0))
    return tf.where(is_long, x / norm, 0.0)


x = tf.constant([[3.0, 4.0], [0.0, 0.0], [1e-5, 0.0]])
target = tf.constant([0.0, 1.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.reduce_sum(unit(x) * target, axis=-1)
print("similarities", y.numpy())
print(tape.gradient(y, x).numpy())
