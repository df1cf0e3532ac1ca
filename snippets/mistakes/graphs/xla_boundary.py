"""Tape and loop are compiled together."""

import tensorflow as tf


def power(x):
    return tf.while_loop(
        lambda i, y: i < 3, lambda i, y: (i + 1, y * y), (0, x),
        maximum_iterations=3)[1]


@tf.function(jit_compile=True)
def value_and_gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = power(x)
    return y, tape.gradient(y, x)


y, gradient = value_and_gradient(tf.constant(2.0))
print(y.numpy(), gradient.numpy())
