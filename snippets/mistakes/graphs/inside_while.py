"""Each iteration differentiates with respect to its loop variable."""

import tensorflow as tf


@tf.function
def steps(x):
    for _ in tf.range(3):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        x = x - 0.1 * tape.gradient(y, x)
    return x


x = tf.constant(2.0)
y, expected = steps(x), x * 0.8 ** 3
tf.debugging.assert_near(y, expected)
print("loop", y.numpy(), " formula", expected.numpy())
