"""Deliberately wrong: an argument with a default is passed by position."""

import tensorflow as tf


@tf.custom_gradient
def scaled(x, factor=2.0):
    def grad(upstream):
        return upstream * factor

    return factor * x, grad


def tripled(x):
    return scaled(x, 3.0)


x = tf.constant(5.0)
for function in scaled, tripled:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    try:
        print(f"{function.__name__}:", tape.gradient(y, x).numpy())
    except ValueError as error:
        print(f"{function.__name__}:", error)
