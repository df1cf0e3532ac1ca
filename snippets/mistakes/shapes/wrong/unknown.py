"""Deliberately wrong: after numpy_function the shape is unknown."""

import numpy as np
import tensorflow as tf


# truth: the rule is right
@tf.custom_gradient
def sine(x):
    def grad(upstream):
        return upstream * tf.cos(x)

    return tf.numpy_function(np.sin, [x], tf.float32), grad


def row_sums(x):
    y = sine(x)
    print("shape", y.shape)
    return tf.reduce_sum(y, range(1, len(y.shape)))


x = tf.ones([2, 3])
row_sums(x)
try:
    tf.function(row_sums, autograph=False)(x)
except ValueError as error:
    print(f"{type(error).__name__}: {error}")
