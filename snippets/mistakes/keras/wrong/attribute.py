"""Deliberately wrong: a tf.Variable as an attribute of a layer."""

# tracebook: alone

import numpy as np
import tensorflow as tf
from tensorflow import keras


class Scale(keras.layers.Layer):
    def __init__(self):
        super().__init__(name="scale")
        self.w = tf.Variable(1.0)
        self.tracked = self.add_weight(
            shape=(), initializer="ones", name="tracked")

    def call(self, x):
        return x * self.w * self.tracked


scale = Scale()
model = keras.Sequential([keras.Input([1]), scale])
model.compile(keras.optimizers.SGD(0.1), "mse")
model.fit(np.ones([4, 1]), np.zeros([4, 1]), verbose=0)
print(f"tf.Variable after a step: {scale.w.numpy():.2f}")
print(f"add_weight after a step:  {scale.tracked.numpy():.2f}")
print("trainable:", [each.path for each in model.trainable_variables])
