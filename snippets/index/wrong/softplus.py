"""Deliberately wrong: the value is right, and the gradient is NaN."""

import tensorflow as tf


def softplus(x):
    return tf.where(x > 30.0, x, tf.math.log1p(tf.exp(x)))


x = tf.constant(100.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = softplus(x)

print("softplus", y.numpy(), " gradient", tape.gradient(y, x).numpy())
