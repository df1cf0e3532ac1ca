"""Deliberately wrong: the integer for range is an argument."""

import tensorflow as tf


@tf.custom_gradient
def power(x, n):
    y = tf.ones_like(x)
    for _ in range(n):
        y = y * x

    def grad(upstream):
        return upstream * n * x**(n - 1), None

    return y, grad


def cube(x):
    return power(x, 3)


x = tf.constant(2.0)
print("eager:", cube(x).numpy())
try:
    tf.function(cube, autograph=False)(x)
except TypeError as error:
    print(f"{type(error).__name__}: {error}")
