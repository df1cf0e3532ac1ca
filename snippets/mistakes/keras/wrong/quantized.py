"""Deliberately wrong: the layer writes the rounded weight into the weight."""

import numpy as np
import tensorflow as tf
from tensorflow import keras


class Quantized(keras.layers.Layer):
    def build(self, shape):
        self.w = self.add_weight(shape=(), initializer="zeros", name="w")

    def call(self, x):
        self.w.assign(tf.round(self.w))
        return x * self.w


layer = Quantized()
model = keras.Sequential([keras.Input([1]), layer])
model.compile(keras.optimizers.SGD(0.1), "mse")
x, y = np.ones([4, 1]), 3.0 * np.ones([4, 1])
for _ in range(3):
    model.fit(x, y, epochs=3, verbose=0)
    print(f"w {layer.w.numpy():.2f}  output {model(x)[0, 0]:.0f}")
