"""Deliberately wrong: a surrogate checked against differences of sign."""

import tensorflow as tf


# truth: the rule is right; the gradient of tf.sigmoid
@tf.custom_gradient
def sign(x):
    def grad(upstream):
        s = tf.sigmoid(x)
        return upstream * s * (1.0 - s)

    return tf.sign(x), grad


x = tf.constant([-2.0, 0.0, 3.0])
custom, differences = tf.test.compute_gradient(sign, [x])
print("x           =", x.numpy())
print("custom      =", custom[0].diagonal())
print("differences =", differences[0].diagonal())
print("check passes:", bool(abs(custom[0] - differences[0]).max() < 1e-3))
