"""Rows that are almost zero become zero, with a gradient of 0."""

import tensorflow as tf


def unit(x, shortest=1e-3):
    """Divide each row by its norm; rows that are too short become 0."""
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

half = tf.constant([[300.0, 400.0]], tf.float16)
print("in float16", unit(half).numpy(),
      " cast to float32", unit(tf.cast(half, tf.float32)).numpy())
