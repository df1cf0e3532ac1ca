"""build creates the weight, and call computes with it."""

import numpy as np
from tensorflow import keras


class Scaled(keras.layers.Layer):
    def build(self, shape):
        self.scale = self.add_weight(shape=[], initializer="ones")

    def call(self, x):
        return 2.0 * self.scale * x


x = np.ones([4, 1], "float32")
model = keras.Sequential([keras.Input([1]), Scaled()])
model.compile(keras.optimizers.SGD(0.125), "mse")
model.fit(x, x, verbose=0)
# The loss (2s - 1)**2 has the derivative 4(2s - 1), which is 4 at s = 1.
print("after one step", model.layers[0].scale.numpy(),
      " by hand", 1 - 0.125 * 4)
