"""A custom gradient around NumPy, with dtype and shape set in both passes."""

import numpy as np
import tensorflow as tf


def call(function, x):
    y = tf.numpy_function(function, [x], x.dtype)
    return tf.ensure_shape(y, x.shape)


@tf.custom_gradient
def sine(x):
    def grad(upstream):
        return upstream * cosine(x)

    return call(np.sin, x), grad


@tf.custom_gradient
def cosine(x):
    def grad(upstream):
        return -upstream * sine(x)

    return call(np.cos, x), grad


def gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = sine(x)
    return tape.gradient(y, x)


x = tf.constant([0.5, 1.0])
for name, run in ("eager", gradient), ("graph", tf.function(gradient)):
    error = tf.reduce_max(tf.abs(run(x) - tf.cos(x)))
    print(f"{name}: differs from tf.cos by {error:.0e}")
