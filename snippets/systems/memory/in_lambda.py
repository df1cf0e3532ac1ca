"""A layer that has the recomputed one as an attribute."""

import keras
import numpy as np
import tensorflow as tf


class Recomputed(keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.inner = keras.layers.Dense(1)

    def build(self, shape):
        self.inner.build(shape)

    def call(self, x, training=None):
        return tf.recompute_grad(
            lambda x: self.inner(x, training=training))(x)


model = keras.Sequential([
    keras.Input((2,)), keras.layers.Dense(2), Recomputed()])
before = model.get_weights()
model.compile("sgd", "mse")
model.fit(np.ones((4, 2)), np.full((4, 1), 9.0), verbose=0)
changed = [(one != other).any()
           for one, other in zip(before, model.get_weights())]
assert all(changed)
print("weights of the model:", len(changed), " changed:", sum(changed))
