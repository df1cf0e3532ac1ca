"""Clip the gradient of x, and keep its value."""

import keras
import numpy as np
from keras import ops


def identity(x):
    return x


@ops.custom_gradient
def clip(x):
    def grad(*args, upstream=None):
        if upstream is None:
            (upstream,) = args
        return ops.clip(upstream, -1.0, 1.0)

    return ops.copy(x), grad


def clipped(x):
    return clip(x)


x = np.array([[0.2, 3.0]])
for function in (identity, clipped):
    dense = keras.layers.Dense(2, kernel_initializer="identity")
    layer = keras.layers.Lambda(function)
    model = keras.Sequential([keras.Input([2]), dense, layer])
    model.compile(keras.optimizers.SGD(1.0), lambda _, y: ops.sum(y * y))
    y = model.predict(x, verbose=0)[0]
    model.fit(x, x, verbose=0)
    gradient = -dense.get_weights()[1]  # the bias was 0
    print(f"{function.__name__:8}  y = {y}  dL/dx = {gradient}")
