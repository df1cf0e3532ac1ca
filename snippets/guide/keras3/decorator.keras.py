"""A decorator with which grad takes only the upstream gradient."""

import keras
import numpy as np
from keras import ops


def custom_gradient(function):
    @ops.custom_gradient
    def portable(*inputs):
        output, grad = function(*inputs)

        def either(*args, upstream=None):
            return grad(args[0] if upstream is None else upstream)

        return output, either

    return portable


def clip_gradient(limit):
    @custom_gradient
    def identity(x):
        return x, lambda upstream: ops.clip(upstream, -limit, limit)

    return identity


class Clip(keras.layers.Layer):
    def __init__(self, limit):
        super().__init__()
        self.clip = clip_gradient(limit)

    def call(self, x):
        return self.clip(x)


print("the derivative of the loss with respect to the kernel is 4.0")
for limit in (10.0, 1.0, 0.5):
    dense = keras.layers.Dense(1, use_bias=False, kernel_initializer="zeros")
    model = keras.Sequential([keras.Input([1]), dense, Clip(limit)])
    model.compile(keras.optimizers.SGD(1.0), "mse")
    model.fit(np.ones([1, 1]), np.full([1, 1], -2.0), verbose=0)
    step = -ops.convert_to_numpy(dense.kernel).item()
    print(f"limit {limit:4}  step {step}")
