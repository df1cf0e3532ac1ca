"""The value of sign, with the derivative of the sigmoid."""

import keras
import numpy as np
from keras import ops


@ops.custom_gradient
def sign(x):
    def grad(*args, upstream=None):
        if upstream is None:
            (upstream,) = args
        y_tilde = ops.sigmoid(x)
        local = y_tilde * (1.0 - y_tilde)
        return upstream * local

    return ops.sign(x), grad


class Sign(keras.layers.Layer):
    def call(self, x):
        return sign(x)


def step(x, loss):
    """Return the loss and its gradient with respect to x."""
    dense = keras.layers.Dense(1, kernel_initializer="ones")
    model = keras.Sequential([keras.Input([1]), dense, Sign()])
    model.compile(keras.optimizers.SGD(1.0), loss)
    history = model.fit(np.array([[x]]), np.zeros([1, 1]), verbose=0)
    return history.history["loss"][0], -dense.get_weights()[1][0]


for x in (3.0, 0.0):
    _, gradient = step(x, lambda _, y: y)
    print("alone:   gradient =", gradient)
    loss, gradient = step(x, lambda _, y: 0.5 * (y + 1.0) ** 2)
    print("in loss: loss =", loss, " gradient =", gradient)
