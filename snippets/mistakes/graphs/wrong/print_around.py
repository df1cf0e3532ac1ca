"""Deliberately wrong: nothing waits for the print of a gradient function."""

import tensorflow as tf


# truth: the rule is right
@tf.custom_gradient
def probe(x):
    def grad(upstream):
        tf.print("  upstream =", upstream)
        return upstream

    return tf.identity(x), grad


def in_a_branch(x):
    return tf.cond(x > 0.0, lambda: probe(x), lambda: x)


def gradient(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


x = tf.constant(3.0)
print("tape outside the function")
print("  gradient =", gradient(tf.function(probe), x).numpy())
print("tape outside the function, call in a branch")
print("  gradient =", gradient(tf.function(in_a_branch), x).numpy())
print("tape inside")
print("  gradient =", tf.function(lambda x: gradient(probe, x))(x).numpy())
