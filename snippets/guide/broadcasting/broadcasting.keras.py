"""y = x b: its gradient function sums over the axes on which b is copied."""

import keras
import numpy as np
from keras import ops


def unbroadcast(gradient, like):
    """Sum over the axes that `like` lacks or has with length 1."""
    missing = len(gradient.shape) - len(like.shape)
    lengths = missing * (1,) + tuple(like.shape)
    axes = tuple(axis for axis, n in enumerate(lengths) if n == 1)
    return ops.reshape(ops.sum(gradient, axes), ops.shape(like))


@ops.custom_gradient
def product(x, b):
    def grad(*args, upstream=None):
        if upstream is None:
            (upstream,) = args
        return unbroadcast(upstream * b, x), unbroadcast(upstream * x, b)

    return x * b, grad


class Product(keras.layers.Layer):
    def __init__(self, function, b):
        super().__init__()
        self.function = function
        self.b = self.add_weight(shape=np.shape(b))

    def call(self, x):
        return self.function(x, ops.copy(self.b))


def gradients(function, x, b):
    dense = keras.layers.Dense(3, use_bias=False)  # its kernel is x
    inputs = keras.Input([2], batch_size=2)
    model = keras.Sequential([inputs, dense, Product(function, b)])
    model.set_weights([x, np.array(b)])
    model.compile(keras.optimizers.SGD(1.0), lambda w, y: ops.sum(w * y),
                  run_eagerly=True)
    model.fit(np.eye(2), weights, shuffle=False, verbose=0)
    return [(start - end).tolist()
            for start, end in zip((x, np.array(b)), model.get_weights())]


x = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
weights = np.array([[1.0, 1.0, 1.0], [10.0, 10.0, 10.0]])
print("weights * x  =", (weights * x).tolist())
for b in ([2.0, 3.0, 4.0], [[2.0], [3.0]], 2.0):
    dx, db = gradients(product, x, b)
    print("downstream_x =", dx)
    print("downstream_b =", db)
    print("autodiff     =", gradients(ops.multiply, x, b)[1])
