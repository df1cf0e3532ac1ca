"""The loop has a maximum number of iterations."""

import tensorflow as tf


def power(x):
    return tf.while_loop(
        lambda i, y: i < 3, lambda i, y: (i + 1, y * y), (0, x),
        maximum_iterations=3)[1]


@tf.function(jit_compile=True)
def gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = power(x)
    return tape.gradient(y, x)


x = tf.constant(2.0)
tf.debugging.assert_near(gradient(x), 8.0 * x ** 7)
print(gradient(x).numpy())
