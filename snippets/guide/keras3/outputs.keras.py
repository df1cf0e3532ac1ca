"""Two outputs on three backends: stack them in the custom gradient."""

import keras
import numpy as np
from keras import layers, ops


def polar(point):
    x, y = ops.unstack(point, axis=1)
    return ops.stack([ops.sqrt(x**2 + y**2), ops.arctan2(y, x)], axis=1)


@ops.custom_gradient
def custom_polar(point):
    r, angle = ops.unstack(polar(point), axis=1)
    cos, sin = ops.cos(angle), ops.sin(angle)

    def grad(*args, upstream=None):
        upstream = args[0] if upstream is None else upstream
        upstream_r, upstream_angle = ops.unstack(upstream, axis=1)
        downstream_x = upstream_r * cos - upstream_angle * sin / r
        downstream_y = upstream_r * sin + upstream_angle * cos / r
        return ops.stack([downstream_x, downstream_y], axis=1)

    return polar(point), grad


class Polar(layers.Layer):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def call(self, x):
        return ops.unstack(self.function(x), axis=1)


for name, function in (("autodiff", polar), ("custom", custom_polar)):
    dense = layers.Dense(2, use_bias=False, kernel_initializer="identity")
    inputs = keras.Input([2])
    r, angle = Polar(function)(dense(inputs))
    model = keras.Model(inputs, 10.0 * r + angle)
    model.compile(keras.optimizers.SGD(1.0), lambda target, y: y)
    model.fit(np.array([[3.0, 4.0]]), np.zeros([1]), verbose=0)
    steps = np.eye(2) - ops.convert_to_numpy(dense.kernel)
    print(f"{name:8}", *[f"{step:.4f}" for step in steps.ravel()])
