"""The gradient of w0 + w1 x with respect to w, computed in three ways."""

import numpy as np
import tensorflow as tf

w = tf.Variable([2.0, 3.0])
x = tf.constant([1.0, 2.0, 3.0])


# truth: w.shape == (2,)
@tf.custom_gradient
def polynomial(x, w):
    def grad(upstream):
        local = (x ** 0, x ** 1)
        tf.print("upstream   =", upstream)
        tf.print("local      =", *local)
        return upstream * w[1], tf.stack(
            [tf.reduce_sum(upstream * each) for each in local])

    return w[0] + w[1] * x, grad


with tf.GradientTape() as tape:
    y = polynomial(x, w)
print("downstream =", tape.gradient(y, w).numpy())

with tf.GradientTape() as tape:
    y = w[0] + w[1] * x
print("autodiff   =", tape.gradient(y, w).numpy())


def total(w):
    return np.sum(w[0] + w[1] * np.array([1.0, 2.0, 3.0]))


h = 1e-3
moved = [(total(1.0 + h * e) - total(1.0 - h * e)) / (2.0 * h)
          for e in np.eye(2)]
print("differences = [{:.4f}, {:.4f}]".format(*moved))
