"""Deliberately wrong: with mixed_float16, grad reads the float32 weight."""

import numpy as np
import tensorflow as tf
from tensorflow import keras


class Scale(keras.layers.Layer):
    def build(self, shape):
        self.w = self.add_weight(shape=(), initializer="ones", name="w")

    def call(self, x):
        @tf.custom_gradient
        def scaled(x):
            def grad(upstream, variables=None):
                return upstream * variables[0], [
                    tf.reduce_sum(upstream * x)]

            return x * self.w, grad

        return scaled(x)


model = keras.Sequential([keras.Input([2]), Scale(dtype="mixed_float16")])
model.compile("sgd", "mse")
# tracebook: raises TypeError
model.fit(np.ones([4, 2]), np.zeros([4, 2]), verbose=0)
