"""Deliberately wrong: the loss reads the symbolic output of a layer."""

import numpy as np
import tensorflow as tf
from tensorflow import keras

inputs = keras.Input([5])
hidden = keras.layers.Dense(2)(inputs)
model = keras.Model(inputs, keras.layers.Dense(1)(hidden))
model.compile("sgd", lambda y_true, y_pred: tf.reduce_sum(hidden ** 2))
try:
    model.fit(np.ones([4, 5]), np.ones([4, 1]), verbose=0)
except ValueError as error:
    print("ValueError:", str(error).splitlines()[0].partition(". ")[0])
