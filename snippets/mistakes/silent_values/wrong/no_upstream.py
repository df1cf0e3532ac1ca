"""Deliberately wrong: the gradient function forgets upstream."""

import tensorflow as tf


@tf.custom_gradient
def square(x):
    def grad(upstream):
        return 2.0 * x

    return x**2, grad


def ten_squares(x):
    return 10.0 * square(x)


x = tf.constant(3.0)
for function in square, ten_squares:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    h = 0.125
    slope = (function(x + h) - function(x - h)) / (2 * h)
    print(f"{function.__name__:11}", tape.gradient(y, x).numpy(),
          "right:", slope.numpy())
