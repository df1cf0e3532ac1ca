"""Deliberately wrong: XLA compiles a loop without an iteration limit."""

import os

import tensorflow as tf


def power(x):
    return tf.while_loop(
        lambda i, y: i < 3, lambda i, y: (i + 1, y * y), (0, x))[1]


@tf.function(jit_compile=True)
def gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = power(x)
    return tape.gradient(y, x)


os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # the log repeats the message
x = tf.constant(2.0)
try:
    print(gradient(x))
except tf.errors.InvalidArgumentError as error:
    print(type(error).__name__)
    print(error.message.partition(". ")[0])
