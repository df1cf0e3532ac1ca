"""Ways to give a weight to a custom gradient, with keras.ops only."""

import keras
import numpy as np


# truth: upstream becomes 0.5 * upstream; w.shape == []; dense upstream
@keras.ops.custom_gradient
def scaled(x, w):
    def grad(upstream):
        half = 0.5 * upstream
        return half * w, keras.ops.sum(half * x)

    return x * w, grad


class Scale(keras.layers.Layer):
    def __init__(self, way, trainable=True):
        super().__init__()
        self.way, self.is_trained = way, trainable

    def build(self, shape):
        self.w = self.add_weight(
            shape=(), initializer="ones", trainable=self.is_trained)

    def call(self, x):
        return self.way(x, self.w)


def as_copy(x, w):
    return scaled(x, keras.ops.copy(w))


def as_variable(x, w):
    return scaled(x, w)


def captured(x, w):
    # truth: upstream becomes 0.5 * upstream; dense upstream
    @keras.ops.custom_gradient
    def scaled(x):
        return x * w, lambda upstream: 0.5 * upstream * w.value

    return scaled(x)


def fit(name, layer):
    dense = keras.layers.Dense(1, use_bias=False, kernel_initializer="ones")
    model = keras.Sequential([keras.Input([1]), dense, layer])
    model.compile(keras.optimizers.SGD(0.125), "mse")
    model.fit(np.ones([1, 1]), np.zeros([1, 1]), verbose=0)
    print(f"{name:17} kernel {float(dense.kernel.numpy()[0, 0])}"
          f"  w {float(layer.w.numpy())}")


print("backend:", keras.backend.backend())
fit("as a copy:", Scale(as_copy))
fit("as a variable:", Scale(as_variable))
fit("captured, frozen:", Scale(captured, trainable=False))
try:
    fit("captured:", Scale(captured))
except Exception as error:
    print("captured:        ", type(error).__name__)
