"""Deliberately wrong: a check with central differences at a kink."""

import tensorflow as tf


# truth: the rule is right
@tf.custom_gradient
def bend(x):
    def grad(upstream):
        return upstream * tf.where(x > 0.0, 2.0, 1.0)

    return tf.where(x > 0.0, 2.0 * x, x), grad


x = tf.constant([-1.0, 0.0, 1.0])
custom, differences = tf.test.compute_gradient(bend, [x])
print("x           =", x.numpy())
print("custom      =", custom[0].diagonal())
print("differences =", differences[0].diagonal())
