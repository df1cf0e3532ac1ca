"""Deliberately wrong: NumPy computes the local derivative."""

import tensorflow as tf


@tf.custom_gradient
def cube(x):
    def grad(upstream):
        local = tf.numpy_function(lambda x: 3 * x ** 2, [x], x.dtype)
        return upstream * local

    return x ** 3.0, grad


def plain(x):
    return x ** 3.0


def loss(function, x):
    return 0.5 * (function(x) - 5000.0) ** 2.0


def gradient(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = loss(function, x)
    return tape.gradient(y, x)


def gradient_of_loss(x):
    return gradient(cube, x)


x = tf.constant(10.0)
for function in cube, plain:
    with tf.GradientTape() as tape:
        tape.watch(x)
        first = gradient(function, x)
    print(f"{function.__name__:5}  first = {first:.0f}"
          f"  second = {tape.gradient(first, x):.0f}")
