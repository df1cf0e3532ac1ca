"""Deliberately wrong: the tape is outside of a loop that XLA compiles."""

import tensorflow as tf


def power(x):
    return tf.while_loop(
        lambda i, y: i < 3, lambda i, y: (i + 1, y * y), (0, x),
        maximum_iterations=3)[1]


compiled = tf.function(power, jit_compile=True)
x = tf.constant(2.0)
try:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = compiled(x)
    print(tape.gradient(y, x))
except tf.errors.UnimplementedError as error:
    print(type(error).__name__ + ":", error.message.partition(" [Op")[0])
