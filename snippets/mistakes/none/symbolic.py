"""A tape, or tf.gradients inside a tf.function."""

import tensorflow as tf


def by_tape(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.gradient(y, x)


@tf.function
def by_gradients(x):
    return tf.gradients(x * x, x)[0]


x = tf.constant(3.0)
print("tape:        ", by_tape(x).numpy())
print("tf.gradients:", by_gradients(x).numpy())
print("by hand:     ", 2.0 * x.numpy())
