"""Deliberately wrong: upstream lacks the axis that was summed."""

import tensorflow as tf


@tf.custom_gradient
def energies(x):
    def grad(upstream):
        return upstream * 2.0 * x

    return tf.reduce_sum(x**2, axis=1), grad


x = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = energies(x)
try:
    tape.gradient(y, x)
except tf.errors.InvalidArgumentError as error:
    message = str(error).partition("}} ")[2].partition(" [Op:")[0]
    print(f"{type(error).__name__}: {message}")
