"""Deliberately wrong: a loss with a gradient for y_pred alone."""

import numpy as np
import tensorflow as tf
from tensorflow import keras


@tf.custom_gradient
def squared(y_true, y_pred):
    def grad(upstream):
        return upstream * 2.0 * (y_pred - y_true)

    return (y_pred - y_true) ** 2, grad


model = keras.Sequential([keras.Input([1]), keras.layers.Dense(1)])
model.compile("sgd", squared)
# tracebook: raises InternalError
model.fit(np.ones([4, 1]), np.zeros([4, 1]), verbose=0)
