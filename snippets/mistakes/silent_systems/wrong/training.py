"""Deliberately wrong: the second run has no training argument."""

import keras
import numpy as np


class Recomputed(keras.layers.Layer):
    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def build(self, shape):
        self.layer.build(shape)

    def call(self, x):
        # truth: the rule is right
        return keras.remat(lambda x: self.layer(x))(x)


def kernel(wrap):
    keras.utils.set_random_seed(0)
    dense = keras.layers.Dense(1, kernel_initializer="ones")
    block = keras.Sequential([dense, keras.layers.BatchNormalization()])
    model = keras.Sequential([keras.Input([1]), wrap(block)])
    model.compile("sgd", "mse")
    x = np.array([[1.0], [2.0], [3.0], [6.0]], "float32")
    model.fit(x, 10.0 * x, verbose=0)
    return dense.kernel.numpy().item()


print(f"wrong kernel = {kernel(Recomputed):.4f}")
print(f"right kernel = {kernel(lambda block: block):.4f}")
