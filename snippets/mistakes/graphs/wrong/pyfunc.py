"""Deliberately wrong: XLA compiles a gradient function that calls NumPy."""

import os
import re

import numpy as np
import tensorflow as tf


# truth: the rule is right; first derivative only
@tf.custom_gradient
def cube(x):
    def grad(upstream):
        local = tf.numpy_function(lambda x: 3.0 * x ** 2, [x], x.dtype)
        return upstream * tf.ensure_shape(local, x.shape)

    return x ** 3, grad


@tf.function(jit_compile=True)
def gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = cube(x)
    return tape.gradient(y, x)


os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # the log repeats the message
x = tf.constant(np.float32(2.0))
try:
    gradient(x)
except tf.errors.InvalidArgumentError as error:
    print(type(error).__name__)
    line = error.message.splitlines()[0]
    print(re.sub("__inference\\S*", "…", line))
