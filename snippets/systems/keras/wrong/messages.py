"""Deliberately wrong: three steps without a gradient, and what fit reports."""

import warnings

import numpy as np
import tensorflow as tf
from tensorflow import keras


class Jump(keras.layers.Layer):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def call(self, x):
        return self.function(x)


def fit(layers):
    model = keras.Sequential([keras.Input([2]), *layers])
    model.compile("sgd", "mse")
    before = model.get_weights()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model.fit(np.ones([4, 2]), np.full([4, 1], 3.0), verbose=0)
        except ValueError as error:
            print("  ValueError:", str(error).partition(".")[0])
    for each in caught:
        print("  warning:", str(each.message).partition(" [")[0])
    print("  moved:", [bool(np.any(a != b))
                       for a, b in zip(before, model.get_weights())])


def dense(name):
    return keras.layers.Dense(1, use_bias=False, name=name,
                              kernel_initializer="ones")


print("tf.sign between two layers")
fit([dense("first"), Jump(tf.sign), dense("second")])
print("tf.round between two layers")
fit([dense("first"), Jump(tf.round), dense("second")])
print("tf.round after the last layer")
fit([dense("first"), dense("second"), Jump(tf.round)])
