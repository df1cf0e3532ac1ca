"""Deliberately wrong: in a branch, grad captures an x from outside it."""

# tracebook: raises AssertionError

import tensorflow as tf


# truth: the rule is right
@tf.custom_gradient
def square(x):
    def grad(upstream):
        return upstream * 2.0 * x

    return x * x, grad


# truth: the rule is right
@tf.custom_gradient
def copied(x):
    x = tf.identity(x)

    def grad(upstream):
        return upstream * 2.0 * x

    return x * x, grad


def gradient(function, x):
    @tf.function
    def branch(x):
        return tf.cond(x > 0.0, lambda: function(x), lambda: x)

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = branch(x)
    return tape.gradient(y, x).numpy()


print("dy/dx with tf.identity =", gradient(copied, tf.constant(3.0)))
gradient(square, tf.constant(3.0))
