"""The gradient of sinc near 0: a series where the quotient loses digits."""

import numpy as np
import tensorflow as tf


def quotient(x, y):
    return (tf.cos(np.pi * x) - y) / x


def series(x):
    z = np.pi * x
    return np.pi * (-z / 3.0 + z**3 / 30.0 - z**5 / 840.0)


# truth: abs(x) < 20; within 1e-3; first derivative only
@tf.custom_gradient
def sinc(x):
    y = tf.numpy_function(np.sinc, [x], x.dtype)
    y.set_shape(x.shape)

    def grad(upstream):
        local = tf.where(tf.abs(x) < 0.1, series(x), quotient(x, y))
        return upstream * local

    return y, grad


x = tf.constant([0.0, 0.0001, 0.001, 0.5])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = sinc(x)
downstream = tape.gradient(y, x)
for row in zip(x, y, quotient(x, y), downstream):
    print("x = {:.4f}  y = {:.4f}  quotient = {:7.4f}"
          "  downstream = {:7.4f}".format(*map(float, row)))
