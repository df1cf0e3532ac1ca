"""The Hessian of a variance, by tf.nn.moments and by tf.math."""

import numpy as np
import tensorflow as tf


def by_moments(x):
    _, variance = tf.nn.moments(x, axes=-1)
    return variance


def hessian(function, x):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = function(x)
        gradient = inner.gradient(y, x)
    return outer.jacobian(gradient, x)


x = tf.constant([1.0, 2.0, 6.0], tf.float64)
for function in by_moments, tf.math.reduce_variance:
    print(f"{function.__name__}: value {function(x):.4f}")
    print(np.round(hessian(function, x), 4) + 0.0)
