"""A layer of signs with the derivative of tanh, in fit."""

import keras
import numpy as np
from keras import ops


@ops.custom_gradient
def sign(x):
    def grad(*args, upstream=None):
        if upstream is None:
            (upstream,) = args
        y_tilde = ops.tanh(x)
        local = 1.0 - y_tilde**2
        return upstream * local

    return ops.sign(x), grad


class Sign(keras.layers.Layer):
    def call(self, x):
        return sign(x)


model = keras.Sequential([
    keras.Input([1]), keras.layers.Dense(2, use_bias=False), Sign(),
    keras.layers.Dense(1, use_bias=False)])
model.set_weights([np.array([[0.5, -1.0]]), np.array([[1.0], [1.0]])])
x, t = np.array([[1.0]]), np.array([[1.0]])
model.compile(keras.optimizers.SGD(0.1), "mse")
print("y", model.predict(x, verbose=0), " L", model.evaluate(x, t, verbose=0))
model.fit(x, t, verbose=0)
hidden, output = model.get_weights()
print("after a step of 0.1: hidden", hidden[0], " output", output[:, 0])
