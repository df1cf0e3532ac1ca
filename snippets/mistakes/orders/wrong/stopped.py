"""Deliberately wrong: three local derivatives that are constants."""

import numpy as np
import tensorflow as tf


@tf.custom_gradient
def stopped(x):
    y = tf.exp(tf.stop_gradient(x))  # so that the tape keeps nothing
    return y, lambda upstream: upstream * y


@tf.custom_gradient
def by_numpy(x):
    y = tf.numpy_function(np.exp, [x], x.dtype)
    y.set_shape(x.shape)
    return y, lambda upstream: upstream * y


@tf.custom_gradient
def numpy_in_rule(x):
    def grad(upstream):
        return upstream * tf.numpy_function(np.exp, [x], x.dtype)

    return tf.exp(x), grad


def slope(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


def slope_of_stopped(x):
    return slope(stopped, x)


x = tf.constant(0.5)
for rule in stopped, by_numpy, numpy_in_rule, tf.exp:
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        alone = slope(rule, x)
        square = slope(lambda x: rule(x) ** 2.0, x)
    print(f"{rule.__name__:13}  first {alone.numpy():.4f}"
          f"  second {tape.gradient(alone, x)}"
          f"  of y ** 2 {tape.gradient(square, x):.4f}")
