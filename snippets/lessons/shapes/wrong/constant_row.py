"""Deliberately wrong: the standard deviation of a constant row."""

import tensorflow as tf

x = tf.constant([[1.0, 3.0], [2.0, 2.0]])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.math.reduce_std(x, axis=1)

print("y", y.numpy())
print(tape.gradient(y, x).numpy())
