"""Deliberately wrong: grad returns a NumPy number."""

import numpy as np
import tensorflow as tf


@tf.custom_gradient
def triple(x):
    def grad(upstream):
        return np.float32(3.0)

    return 3.0 * x, grad


def twice(x):
    return triple(x) + triple(x)


x = tf.constant(2.0)
for function in triple, twice:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    try:
        print(f"{function.__name__}:", type(tape.gradient(y, x)).__name__)
    except AssertionError as no:
        print(f"{function.__name__}: {type(no).__name__}:", str(no) or "…")
