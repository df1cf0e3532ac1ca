"""Solution: the derivative of this sigmoid keeps its digits at both ends."""

import numpy as np
import tensorflow as tf


@tf.custom_gradient
def sigmoid(x):
    x = tf.identity(x)  # for tapes outside a tf.function, and for tf.cond
    y = tf.sigmoid(x)

    def grad(upstream):
        local = sigmoid(x) * sigmoid(-x)
        return upstream * local

    return y, grad


for value in (-20.0, 0.0, 20.0, 40.0):
    x, slopes = tf.constant(value), []
    for function in (sigmoid, tf.sigmoid):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = function(x)
            first = inner.gradient(y, x)
        slopes += first, outer.gradient(first, x)
    s, t = 1.0 / (1.0 + np.exp(-value)), 1.0 / (1.0 + np.exp(value))
    print(f"x = {value:3.0f}          first    second")
    for name, first, second in (("custom", *slopes[:2]),
                                ("tf.sigmoid", *slopes[2:]),
                                ("float64", s * t, s * t * (t - s))):
        print(f"  {name:10} {first:9.3g} {second:9.3g}")
