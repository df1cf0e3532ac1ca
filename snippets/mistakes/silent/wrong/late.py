"""Deliberately wrong: the gradient function reads a setting that changed."""

import tensorflow as tf

strength = tf.Variable(2.0, trainable=False)


@tf.custom_gradient
def scaled(x):
    def grad(upstream):
        return upstream * strength

    return strength * x, grad


x, h = tf.constant(3.0), 0.125
right = (scaled(x + h) - scaled(x - h)) / (2 * h)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = scaled(x)
strength.assign(7.0)
print("custom", tape.gradient(y, x).numpy(), "right:", right.numpy())
