"""The layer's gradient against central differences of the surrogate."""

# tracebook: alone

import numpy as np
import tensorflow as tf
from tensorflow import keras


# truth: the gradient of tf.tanh
@tf.custom_gradient
def sign(x):
    return tf.sign(x), lambda upstream: upstream * (1.0 - tf.tanh(x) ** 2)


class Sign(keras.layers.Layer):
    def call(self, x):
        return sign(x)


keras.utils.set_random_seed(3)
keras.config.set_floatx("float64")
hidden, output = keras.layers.Dense(3), keras.layers.Dense(1)
model = keras.Sequential([keras.Input([2]), hidden, Sign(), output])
x, t = np.random.normal(size=[5, 2]), np.random.normal(size=[5, 1])
with tf.GradientTape() as tape:
    L = tf.reduce_sum((model(x) - t) ** 2)
gradient = tape.gradient(L, hidden.kernel)

# The upstream gradient belongs to the true outputs, and stays constant.
y = tf.sign(hidden(x))
with tf.GradientTape() as tape:
    tape.watch(y)
    L = tf.reduce_sum((output(y) - t) ** 2)
upstream = tape.gradient(L, y)
W, b = hidden.get_weights()
differences = np.zeros_like(W)
for at in np.ndindex(W.shape):
    step = np.zeros_like(W)
    step[at] = 1e-6
    moved = np.tanh(x @ (W + step) + b) - np.tanh(x @ (W - step) + b)
    differences[at] = np.sum(upstream * moved) / 2e-6
print("grad       ", gradient.numpy()[0])
print("differences", differences[0])
print("within 1e-6 in all six:",
      np.allclose(gradient, differences, rtol=1e-6))
