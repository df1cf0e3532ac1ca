"""Deliberately wrong: stop_gradient stands inside a decorated function."""

import tensorflow as tf


# truth: the rule is right
@tf.custom_gradient
def square(x):
    def grad(upstream):
        return upstream * 2.0 * x

    return tf.stop_gradient(x**2), grad


def stopped(x):
    return x + square(x)


def meant(x):
    return x + tf.stop_gradient(x**2)


x = tf.constant(3.0)
for function in stopped, meant:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    print(f"{function.__name__:7}", tape.gradient(y, x).numpy())
