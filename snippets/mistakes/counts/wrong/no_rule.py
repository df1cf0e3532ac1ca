"""Deliberately wrong: the function doesn't return a gradient function."""

import tensorflow as tf


@tf.custom_gradient
def double(x):
    def grad(upstream):
        return 2.0 * upstream

    return 2.0 * x


@tf.custom_gradient
def nothing(x):
    def grad(upstream):
        return 2.0 * upstream


x = tf.constant(1.0)
cases = {"nothing": lambda: nothing(x), "a scalar": lambda: double(x),
         "two numbers": lambda: double(tf.stack([x, x])),
         "three numbers": lambda: double(tf.stack([x, x, x]))}
for name, call in cases.items():
    try:
        call()
    except Exception as error:
        print(f"{name}: {type(error).__name__}: {error}")
