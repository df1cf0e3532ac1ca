"""The complex step: an exact derivative from one forward pass."""

import numpy as np
import tensorflow as tf


def value(x):
    return x * tf.sigmoid(x)


@tf.custom_gradient
def swish(x):
    s = tf.sigmoid(x)
    return value(x), lambda upstream: upstream * s * (1.0 + x * (1.0 - s))


x = tf.constant([-3.0, 0.0, 0.5, 30.0], tf.float64)
v = tf.constant([1.0, -2.0, 0.5, 1.0], tf.float64)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = swish(x)
custom = v * tape.gradient(y, x)

h = 1e-20
y = value(tf.complex(x, h * v))
print("custom gradient", custom.numpy().round(12))
print("complex step   ", (tf.math.imag(y) / h).numpy().round(12))
print("largest difference below 1e-14:",
      np.max(abs(custom - tf.math.imag(y) / h)) < 1e-14)
