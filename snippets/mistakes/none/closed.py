"""The weight is an argument of the decorated function, as a tensor."""

import numpy as np
import tensorflow as tf
from tensorflow import keras


# truth: w.shape == []
@tf.custom_gradient
def scaled(x, w):
    def grad(upstream):
        return upstream * w, tf.reduce_sum(upstream * x)

    return x * w, grad


class Scale(keras.layers.Layer):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def build(self, shape):
        self.w = self.add_weight(shape=(), initializer="ones", name="w")

    def call(self, x):
        return self.function(x, tf.convert_to_tensor(self.w))


x, y = np.ones([4, 2]), np.zeros([4, 2])
for name, function in ("custom", scaled), ("plain", tf.multiply):
    first = keras.layers.Dense(2, kernel_initializer="ones")
    scale = Scale(function)
    model = keras.Sequential([keras.Input([2]), first, scale])
    model.compile("sgd", "mse")
    model.fit(x, y, verbose=0)
    print(f"{name:6}  w after a step: {scale.w.numpy():.4f}")
