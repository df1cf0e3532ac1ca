"""Deliberately wrong: XLA compiles the gradient of a boolean mask."""

import os

import tensorflow as tf


@tf.function(jit_compile=True)
def gradient(x, mask, weights):
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.reduce_sum(tf.boolean_mask(x, mask) * weights)
    return tape.gradient(loss, x)


os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # the log repeats the message
x = tf.constant([1.0, 2.0, 3.0])
mask = tf.constant([True, False, True])
try:
    print(gradient(x, mask, tf.constant([0.5, 2.0])))
except tf.errors.InvalidArgumentError as error:
    print(type(error).__name__)
    print(error.message.partition("\n")[0])
    print(error.message.partition("{{")[2].partition("}}")[0])
