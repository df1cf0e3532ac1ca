"""Solution: log(1 - e^-x) for x > 0, with expm1 and log1p."""

import numpy as np
import tensorflow as tf


# truth: x > 0.0
@tf.custom_gradient
def log1mexp(x):
    near = x < np.log(2.0)
    ones = tf.ones_like(x)
    y = tf.where(near, tf.math.log(-tf.math.expm1(-tf.where(near, x, ones))),
                 tf.math.log1p(-tf.exp(-tf.where(near, ones, x))))

    def grad(upstream):
        local = 1.0 / tf.math.expm1(x)
        return upstream * local

    return y, grad


def naive(x):
    return tf.math.log(1.0 - tf.exp(-x))


for value in (1e-10, 1.0, 30.0):
    x = tf.constant(value)
    for name, function in (("custom", log1mexp), ("naive", naive)):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        print(f"x = {value:5g}  {name:6}  y = {y:10.4g}"
              f"  gradient = {tape.gradient(y, x):10.4g}")
    exact = (np.log(-np.expm1(-value)) if value < np.log(2.0)
             else np.log1p(-np.exp(-value)))
    print(f"          float64  y = {exact:10.4g}"
          f"  gradient = {1 / np.expm1(value):10.4g}")
