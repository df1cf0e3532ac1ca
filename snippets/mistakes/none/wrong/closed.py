"""Wrong on purpose: the rule of a layer closes over its weight."""

import warnings

import numpy as np
import tensorflow as tf
from tensorflow import keras


class Scale(keras.layers.Layer):
    def build(self, shape):
        self.w = self.add_weight(shape=(), initializer="ones", name="w")

    def call(self, x):
        w = tf.convert_to_tensor(self.w)

        # truth: the rule is right
        @tf.custom_gradient
        def scaled(x):
            return x * w, lambda upstream: upstream * w

        return scaled(x)


scale = Scale(name="scale")
model = keras.Sequential([
    keras.Input([2]), keras.layers.Dense(2, name="first"), scale])
model.compile("sgd", "mse", run_eagerly=True)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    model.fit(np.ones([4, 2]), np.zeros([4, 2]), verbose=0)
print("w after a step:", scale.w.numpy())
for each in caught:
    print(f"{each.category.__name__}: {each.message}")
