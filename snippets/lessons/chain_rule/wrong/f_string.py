"""Deliberately wrong: f-strings in a tf.function print no numbers."""

import tensorflow as tf


# truth: the rule is right
@tf.custom_gradient
def square(x):
    print(f"forward  x = {x}")
    tf.print("forward  x =", x)

    def grad(upstream):
        print(f"backward upstream = {upstream}")
        tf.print("backward upstream =", upstream)
        return upstream * 2.0 * x

    return x * x, grad


@tf.function
def gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = square(x)
    return tape.gradient(y, x)


for value in (2.0, 3.0):
    print("call with", value)
    print("dy/dx =", gradient(tf.constant(value)).numpy())
