"""A dense layer whose weights are passed as arguments."""

import keras
import numpy as np
from keras import ops


@ops.custom_gradient
def dense(x, W, b):
    def grad(*args, upstream=None):
        if upstream is None:
            (upstream,) = args
        downstream_x = ops.matmul(upstream, ops.transpose(W))
        downstream_W = ops.matmul(ops.transpose(x), upstream)
        downstream_b = ops.sum(upstream, axis=0)
        return downstream_x, downstream_W, downstream_b

    return ops.matmul(x, W) + b, grad


class Dense(keras.layers.Layer):
    def build(self, shape):
        self.W = self.add_weight(shape=(shape[-1], 2), name="W")
        self.b = self.add_weight(shape=(2,), name="b")

    def call(self, x):
        return dense(x, ops.copy(self.W), ops.copy(self.b))


W = np.array([[1.0, -1.0], [2.0, 0.0], [0.0, 3.0]])
b = np.array([10.0, 20.0])
x = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
weights = np.array([[1.0, 0.0], [0.0, 10.0]])
model = keras.Sequential([keras.Input([3]), Dense()])
model.set_weights([W, b])
model.compile(keras.optimizers.SGD(1.0), lambda w, y: ops.sum(w * y))
model.fit(x, weights, verbose=0)
for symbol, start, end in zip("Wb", (W, b), model.get_weights()):
    print(f"downstream {symbol} = {(start - end).tolist()}")
