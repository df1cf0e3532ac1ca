"""Deliberately wrong: log(1 + e^x) as written, and its gradient."""

import tensorflow as tf


def log1pexp(x):
    return tf.math.log(1.0 + tf.exp(x))


print("     x          y      dy/dx")
for value in (0.0, 20.0, 88.0, 89.0, 100.0):
    x = tf.constant(value)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = log1pexp(x)
    print(f"{value:6.1f} {y:10.5f} {tape.gradient(y, x):10.5f}")
