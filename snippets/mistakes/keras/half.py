"""The weight goes in as a tensor, in the dtype of the layer."""

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
    def build(self, shape):
        self.w = self.add_weight(shape=(), initializer="ones", name="w")

    def call(self, x):
        return scaled(x, tf.convert_to_tensor(self.w))


for dtype in "float32", "mixed_float16":
    model = keras.Sequential([keras.Input([2]), Scale(dtype=dtype)])
    model.compile(keras.optimizers.SGD(0.125), "mse")
    model.fit(np.ones([4, 2]), np.zeros([4, 2]), verbose=0)
    print(f"{dtype:13} w after a step {model.get_weights()[0]}")
