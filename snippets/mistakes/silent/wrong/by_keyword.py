"""Deliberately wrong: all arguments are passed by keyword."""

import tensorflow as tf


# truth: upstream becomes -upstream
@tf.custom_gradient
def reverse(x):
    def grad(upstream):
        return -upstream

    return tf.identity(x), grad


def named(x):
    return reverse(x=x)


x = tf.constant(3.0)
for function in named, reverse:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    print(f"{function.__name__:7}", tape.gradient(y, x).numpy())
