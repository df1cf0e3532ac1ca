"""Deliberately wrong: the loss rounds, so it has no gradient."""

import numpy as np
import tensorflow as tf
from tensorflow import keras


def errors(y_true, y_pred):
    return tf.abs(y_true - tf.round(y_pred))


x, y = np.ones([4, 1]), 3.0 * np.ones([4, 1])
model = keras.Sequential([keras.Input([1]), keras.layers.Dense(1)])
model.compile("sgd", errors)
# tracebook: raises ValueError
model.fit(x, y, verbose=0)
