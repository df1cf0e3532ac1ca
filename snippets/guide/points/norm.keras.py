"""The 2-norm with a chosen gradient at 0."""

import keras
import numpy as np
from keras import ops


def make(at_zero):
    @ops.custom_gradient
    def norm(x):
        zero = ops.all(x == 0.0, axis=-1, keepdims=True)
        safe = ops.where(zero, ops.ones_like(x), x)
        r = ops.sqrt(ops.sum(safe * safe, axis=-1, keepdims=True))
        local = ops.where(zero, ops.cast(at_zero, x.dtype), safe / r)

        def grad(*args, upstream=None):
            if upstream is None:
                (upstream,) = args
            return upstream * local

        return ops.where(zero, ops.zeros_like(r), r), grad

    return norm


for at_zero in ([0.0, 0.0], [0.6, -0.8]):
    norm = make(at_zero)
    print("at 0:", at_zero)
    for x in ([3.0, 4.0], [0.0, 0.0]):
        dense = keras.layers.Dense(2, kernel_initializer="identity")
        layer = keras.layers.Lambda(lambda x, norm=norm: norm(x))
        model = keras.Sequential([keras.Input([2]), dense, layer])
        model.compile(keras.optimizers.SGD(1.0), lambda _, y: 10.0 * y)
        model.fit(np.array([x]), np.zeros([1, 1]), verbose=0)
        downstream = 0.0 - dense.get_weights()[1]  # the bias was 0
        print("  x", x, " downstream", downstream)
