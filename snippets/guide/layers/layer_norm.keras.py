"""Layer normalization: the gradients for a batch of rows."""

import keras
import numpy as np
from keras import layers, ops

EPSILON = 1e-3


def mean(x):
    return ops.mean(x, axis=-1, keepdims=True)


@ops.custom_gradient
def layer_norm(x, gamma, beta):
    c = x - mean(x)
    s = ops.sqrt(mean(c * c) + EPSILON)
    r = c / s

    def grad(*args, upstream=None):
        if upstream is None:
            (upstream,) = args
        r_bar = upstream * gamma
        c_bar = (r_bar - r * mean(r_bar * r)) / s
        downstream_x = c_bar - mean(c_bar)
        return (downstream_x, ops.sum(upstream * r, axis=0),
                ops.sum(upstream, axis=0))

    return gamma * r + beta, grad


class LayerNorm(layers.Layer):
    def build(self, shape):
        self.gamma = self.add_weight(shape=shape[-1:], initializer="ones")
        self.beta = self.add_weight(shape=shape[-1:], initializer="zeros")

    def call(self, x):
        return layer_norm(x, ops.copy(self.gamma), ops.copy(self.beta))


start = [np.array(numbers) for numbers in (
    [[1.0, 2.0, 6.0], [5.0, 5.0, 5.0]], [1.0, 2.0, 3.0], [0.0, 0.0, 1.0])]
upstream = np.array([[1.0, 10.0, 100.0], [1.0, 2.0, 3.0]])
for name, layer in (("layer_norm", LayerNorm()),
                    ("plain", layers.LayerNormalization(epsilon=EPSILON))):
    dense = layers.Dense(3, use_bias=False)  # its kernel is x
    model = keras.Sequential([keras.Input([2]), dense, layer])
    model.set_weights(start)
    y = model.predict(np.eye(2), verbose=0)
    print(f"{name}\n  y", (np.float64(y).round(4) + 0.0).tolist())
    model.compile(keras.optimizers.SGD(1.0), lambda u, y: ops.sum(u * y))
    model.fit(np.eye(2), upstream, verbose=0)
    for symbol, before, after in zip(
            ("x", "gamma", "beta"), start, model.get_weights()):
        gradient = np.round(before - after, 3) + 0.0
        print("  downstream", symbol, gradient.tolist())
