"""Deliberately wrong: the function captures a tensor that needs a gradient."""

import tensorflow as tf


def scaled(x, factor):
    # truth: the rule is right
    @tf.custom_gradient
    def scale(x):
        def grad(upstream):
            return upstream * factor

        return x * factor, grad

    return scale(x)


x, factor = tf.constant(3.0), tf.constant(2.0)
for function in scaled, tf.multiply:
    with tf.GradientTape() as tape:
        tape.watch([x, factor])
        y = function(x, factor)
    print(f"{function.__name__:8}", *[
        g if g is None else g.numpy() for g in tape.gradient(y, [x, factor])])
