"""Deliberately wrong: 0 and NaN both become -1."""

import tensorflow as tf


# truth: the rule is right; the gradient of tf.sigmoid
@tf.custom_gradient
def sign(x):
    y = tf.where(x > 0.0, 1.0, -1.0)

    def grad(upstream):
        s = tf.sigmoid(x)
        return upstream * s * (1.0 - s)

    return y, grad


x = tf.constant([-3.0, 0.0, float("nan"), 3.0])
print("x        =", x.numpy())
print("where    =", sign(x).numpy())
print("tf.sign  =", tf.sign(x).numpy())
