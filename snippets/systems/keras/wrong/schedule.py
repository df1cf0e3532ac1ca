"""Deliberately wrong: the factor is an attribute that fit reads only once."""

import numpy as np
import tensorflow as tf
from tensorflow import keras


def scaled(factor):
    # truth: the rule is right
    @tf.custom_gradient
    def identity(x):
        return tf.identity(x), lambda upstream: factor * upstream

    return identity


class Scale(keras.layers.Layer):
    factor = 1.0

    def call(self, x):
        return scaled(self.factor)(x)


layer = Scale()
dense = keras.layers.Dense(1, use_bias=False, kernel_initializer="ones")
model = keras.Sequential([keras.Input([1]), dense, layer])
model.compile(keras.optimizers.SGD(0.125), "mse")
x, t = np.array([[1.0]]), np.array([[0.0]])
for layer.factor in 1.0, 0.0, -1.0:
    dense.kernel.assign([[1.0]])
    model.fit(x, t, verbose=0)
    print(f"factor {layer.factor:4}: kernel {dense.kernel.numpy().item():.2f}"
          f"  should be {1.0 - 0.25 * layer.factor:.2f}")
