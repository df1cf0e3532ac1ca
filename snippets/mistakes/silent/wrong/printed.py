"""Deliberately wrong: print in a gradient function, in a graph."""

import tensorflow as tf


# truth: the rule is right
@tf.custom_gradient
def square(x):
    def grad(upstream):
        print("upstream", upstream)
        return upstream * 2.0 * x

    return x**2, grad


@tf.function
def gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = 10.0 * square(x)
    return tape.gradient(y, x)


for x in (1.0, 2.0, 3.0):
    print("gradient", gradient(tf.constant(x)).numpy())
