"""Deliberately wrong: call is decorated, and has a training argument."""

import numpy as np
import tensorflow as tf
from tensorflow import keras


class Reversed(keras.layers.Layer):
    # truth: the rule is right; upstream becomes -upstream
    @tf.custom_gradient
    def call(self, x, training=None):
        return tf.identity(x), lambda upstream: -upstream


x = np.ones([4, 1], "float32")
model = keras.Sequential(
    [keras.Input([1]), keras.layers.Dense(1), Reversed()])
model.compile("sgd", "mse")
# tracebook: raises ValueError
try:
    model.fit(x, x, verbose=0)
except ValueError as error:
    said = str(error).splitlines()[2].strip("\x1b[01m")
    raise ValueError(said) from None
