"""Deliberately wrong: the custom gradient captures a trained weight."""

import os

os.environ["KERAS_BACKEND"] = "torch"

import warnings

import keras
import numpy as np
from keras import ops


class Scale(keras.layers.Layer):
    def build(self, shape):
        self.w = self.add_weight(shape=(), initializer="ones", name="w")

    def call(self, x):
        @ops.custom_gradient
        def scaled(x):
            def grad(*args, upstream=None):
                if upstream is None:
                    (upstream,) = args
                return upstream * self.w

            return x * self.w, grad

        return scaled(x)


dense = keras.layers.Dense(1, use_bias=False, kernel_initializer="ones")
scale = Scale()
model = keras.Sequential([keras.Input([1]), dense, scale])
model.compile(keras.optimizers.SGD(1.0), "mse")
with warnings.catch_warnings(record=True) as caught:
    model.fit(np.ones([1, 1]), np.full([1, 1], 0.5), verbose=0)
for warning in caught:
    print("warning:", str(warning.message).split(" when")[0])
for name, weight in (("kernel", dense.kernel), ("w", scale.w)):
    print(f"{name:6}  1.0 -> {ops.convert_to_numpy(weight).item()}")
