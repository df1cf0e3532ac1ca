"""The decorated function copies the tensor, and grad captures the copy."""

import tensorflow as tf

weight = tf.constant(2.0)


@tf.custom_gradient
def scaled(x):
    factor = tf.identity(weight)
    return factor * x, lambda upstream: upstream * factor


def loop(x):
    return tf.while_loop(
        lambda i, y: i < 3, lambda i, y: (i + 1, scaled(y)), (0, x),
        maximum_iterations=3)[1]


def gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = loop(x)
    return tape.gradient(y, x)


x = tf.constant(3.0)
print("eager gradient =", gradient(x).numpy())
print("graph gradient =", tf.function(gradient)(x).numpy())
print("XLA   gradient =", tf.function(gradient, jit_compile=True)(x).numpy())
