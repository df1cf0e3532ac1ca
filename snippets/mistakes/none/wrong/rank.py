"""Deliberately wrong: the result of numpy_function has no shape."""

import numpy as np
import tensorflow as tf
from tensorflow import keras


def mean_error(y_true, y_pred):
    return tf.numpy_function(np.subtract, [y_pred, y_true], tf.float32)


model = keras.Sequential([keras.Input([1]), keras.layers.Dense(1)])
model.compile("sgd", mean_error)
# tracebook: raises ValueError
model.fit(np.ones([4, 1]), np.zeros([4, 1]), verbose=0)
