"""Deliberately wrong: build computes with the weight."""

import numpy as np
from tensorflow import keras


class Scaled(keras.layers.Layer):
    def build(self, shape):
        self.scale = self.add_weight(shape=[], initializer="ones")
        self.kernel = 2.0 * self.scale

    def call(self, x):
        return self.kernel * x


x = np.ones([4, 1], "float32")
model = keras.Sequential([keras.Input([1]), Scaled()])
model.compile("sgd", "mse")
# tracebook: raises ValueError
model.fit(x, x, verbose=0)
