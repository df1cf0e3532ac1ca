"""A loop in NumPy that computes its own vector-Jacobian product."""

import numpy as np
import tensorflow as tf


def run(x, a):
    y = np.zeros_like(x)
    before = np.zeros_like(x[0])
    for t in range(len(x)):
        before = y[t] = a * before + x[t]
    return y


def run_back(y, a, y_bar):
    x_bar = np.zeros_like(y)
    after = np.zeros_like(y[0])
    for t in reversed(range(len(y))):
        after = x_bar[t] = y_bar[t] + a * after
    a_bar = np.sum(x_bar[1:] * y[:-1], dtype=y.dtype)
    return x_bar, a_bar


# truth: x.shape.rank == 1; a.shape.rank == 0; first derivative only
# truth: abs(a) < 1; len(x) > 1; abs(x) < 100
@tf.custom_gradient
def recurrence(x, a):
    y = tf.numpy_function(run, [x, a], x.dtype)
    y.set_shape(x.shape)

    def grad(upstream):
        x_bar, a_bar = tf.numpy_function(
            run_back, [y, a, upstream], [x.dtype, a.dtype])
        x_bar.set_shape(x.shape)
        a_bar.set_shape(a.shape)
        return x_bar, a_bar

    return y, grad


def in_tensorflow(x, a):
    return tf.scan(lambda before, x_t: a * before + x_t, x, tf.zeros([]))


x, a = tf.constant([1.0, -2.0, 0.5, 3.0]), tf.constant(0.9)
for name, function in ("NumPy", recurrence), ("tf.scan", in_tensorflow):
    with tf.GradientTape() as tape:
        tape.watch([x, a])
        loss = tf.reduce_sum(function(x, a) ** 2)
    x_bar, a_bar = tape.gradient(loss, [x, a])
    print(f"{name:7}: x_bar =", x_bar.numpy(), f" a_bar = {a_bar:.4f}")
