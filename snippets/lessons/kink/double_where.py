"""The double where: the branch that isn't taken gets a harmless input."""

import tensorflow as tf


def line_then_log(x):
    safe = tf.where(x > 0.0, x, 0.0)
    return tf.where(x > 0.0, tf.math.log(1.0 + safe), x)


x = tf.constant([-1.0, 0.0, 1.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = line_then_log(x)

print("y        =", y.numpy())
print("gradient =", tape.gradient(y, x).numpy())
