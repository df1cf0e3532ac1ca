"""An integer input gets None: x to the power n, in two dtypes."""

import keras
import numpy as np
from keras import ops


@ops.custom_gradient
def power(x, n):
    exponent = ops.cast(n, x.dtype)

    def grad(*args, upstream=None):
        if upstream is None:
            (upstream,) = args
        local = exponent * x ** (exponent - 1)
        return upstream * local, None

    return x**exponent, grad


class Power(keras.layers.Layer):
    def __init__(self, n, **kwargs):
        super().__init__(**kwargs)
        self.n = n

    def call(self, x):
        return power(x, ops.convert_to_tensor(self.n))


n = np.int32(3)
for dtype in ("float32", "float16"):
    dense = keras.layers.Dense(2, kernel_initializer="identity", dtype=dtype)
    layer = Power(n, dtype=dtype)
    model = keras.Sequential([keras.Input([2], dtype=dtype), dense, layer])
    model.compile(keras.optimizers.SGD(1.0), lambda u, y: ops.sum(u * y))
    model.fit(np.array([[1.0, 2.0]]), np.array([[1.0, 10.0]]), verbose=0)
    dx = -dense.get_weights()[1]  # the bias was 0
    print(f"x is {layer.compute_dtype}, n is {n.dtype}")
    print("  gradient of x:", dx, dx.dtype)
