"""Deliberately wrong: grad computes with NumPy, in a graph."""

import numpy as np
import tensorflow as tf


# truth: eager only
@tf.custom_gradient
def exp(x):
    def grad(upstream):
        return upstream * np.exp(x)

    return tf.exp(x), grad


def gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = exp(x)
    return tape.gradient(y, x)


x = tf.constant([0.0, 1.0])
print("eager:", gradient(x).numpy())
try:
    tf.function(gradient, autograph=False)(x)
except Exception as error:
    print(f"{type(error).__name__}: {error}")
