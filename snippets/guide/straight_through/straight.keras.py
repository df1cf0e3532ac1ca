"""Straight-through gradients: of round, of a sign, and of a quantizer."""

import keras
import numpy as np
from keras import ops


def straight_through(function):
    @ops.custom_gradient
    def through(x):
        def grad(*args, upstream=None):
            if upstream is None:
                (upstream,) = args
            return upstream

        return function(x), grad

    return through


round_through = straight_through(ops.round)
binarize_through = straight_through(  # 1 at 0; NaN stays NaN
    lambda x: ops.sign(ops.sign(x) + 0.5))


def quantize_through(x, step=0.25):
    return step * round_through(x / step)  # the two scalings cancel


def stop(x):
    return x + ops.stop_gradient(ops.round(x) - x)


def loss(_, y):
    return 0.5 * ops.sum((y - 1.0) ** 2)


x = np.array([[-1.7, -0.4, 0.5, 1.5, 2.2]], "float32")
print("x =", x[0])
for name, function in {
        "round_through": round_through, "stop": stop,
        "binarize_through": binarize_through,
        "quantize_through": quantize_through}.items():
    print(name)
    dense = keras.layers.Dense(5, kernel_initializer="identity")
    layer = keras.layers.Lambda(lambda x, function=function: function(x))
    model = keras.Sequential([keras.Input([5]), dense, layer])
    model.compile(keras.optimizers.SGD(1.0), loss)
    y = model.predict(x, verbose=0)[0]
    model.fit(x, x, verbose=0)
    gradient = 0.0 - dense.get_weights()[1]  # the bias was 0
    print("  y =", y, " dL/dx =", gradient)
