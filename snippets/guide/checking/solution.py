"""The second derivative, checked like any other function."""

import numpy as np
import tensorflow as tf


@tf.custom_gradient
def cube(x):
    return x * x * x, lambda upstream: upstream * 3.0 * x * x


def backward(x, u):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = cube(x)
    return tape.gradient(y, x, output_gradients=u)


rng = np.random.default_rng(0)
x = tf.constant([1.3, -0.7, 0.0], tf.float64)
u, d_bar, v = map(tf.constant, rng.standard_normal([3, 3]))
with tf.GradientTape() as tape:
    tape.watch([x, u])
    value = tf.reduce_sum(d_bar * backward(x, u))
x_bar, u_bar = tape.gradient(value, [x, u])


def difference(function, h=1e-5):
    return tf.reduce_sum(d_bar * (function(h) - function(-h))) / (2 * h)


print(f"x         custom {tf.reduce_sum(x_bar * v):9.6f}  finite differences",
      f"{difference(lambda h: backward(x + h * v, u)):9.6f}")
print(f"upstream  custom {tf.reduce_sum(u_bar * v):9.6f}  finite differences",
      f"{difference(lambda h: backward(x, u + h * v)):9.6f}")
