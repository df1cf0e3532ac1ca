"""Deliberately wrong: the norm of a row of zeros."""

import tensorflow as tf


def loss(x):
    return tf.reduce_sum(tf.norm(x, axis=1))


x = tf.constant([[3.0, 4.0], [0.0, 0.0]])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = loss(x)
print("loss", y.numpy())
print(tape.gradient(y, x).numpy())
