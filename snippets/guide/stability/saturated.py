"""Saturated tanh: a gradient that rounds to 0, and one with its digits."""

import numpy as np
import tensorflow as tf


@tf.custom_gradient
def tanh(x):
    def grad(upstream):
        e = tf.exp(-2.0 * tf.abs(x))
        return upstream * 4.0 * e / (1.0 + e) ** 2.0

    return tf.tanh(x), grad


for dtype in tf.float32, tf.float64:
    x = tf.constant([10.0, 20.0], dtype)
    for name, function in ("tf.tanh", tf.tanh), ("custom", tanh):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        slopes = tape.gradient(y, x).numpy()
        print(dtype.name, f"{name:7}", *[f"{slope:.2e}" for slope in slopes])
exact = 1.0 / np.cosh([10.0, 20.0]) ** 2.0
print("exact          ", *[f"{slope:.2e}" for slope in exact])
