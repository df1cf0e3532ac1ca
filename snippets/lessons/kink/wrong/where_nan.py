"""Deliberately wrong: NaN comes from the branch that isn't taken."""

import tensorflow as tf


def line_then_log(x):
    return tf.where(x > 0.0, tf.math.log(1.0 + x), x)


x = tf.constant([-1.0, 0.0, 1.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = line_then_log(x)

print("y        =", y.numpy())
print("gradient =", tape.gradient(y, x).numpy())
