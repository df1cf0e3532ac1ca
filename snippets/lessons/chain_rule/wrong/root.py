"""Deliberately wrong: the root of a square, whose gradient at 0 is NaN."""

import tensorflow as tf

x = tf.constant([0.0, 3.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.sqrt(x * x)

print("y       ", y.numpy())
print("gradient", tape.gradient(y, x).numpy())
