"""The gradient function of a matrix product, as a layer with a kernel B."""

import keras
import numpy as np
from keras import ops


@ops.custom_gradient
def product(A, B):
    def grad(*args, upstream=None):
        if upstream is None:
            (upstream,) = args
        downstream_A = ops.matmul(upstream, ops.transpose(B))
        downstream_B = ops.matmul(ops.transpose(A), upstream)
        return downstream_A, downstream_B

    return ops.matmul(A, B), grad


class Product(keras.layers.Layer):
    def build(self, shape):
        self.B = self.add_weight(shape=(shape[-1], 2))

    def call(self, A):
        return product(A, ops.copy(self.B))


A = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
B = np.array([[1.0, 0.0], [2.0, 1.0], [0.0, 3.0]])
weights = np.array([[1.0, 10.0], [100.0, 1000.0]])
dense = keras.layers.Dense(3, use_bias=False)
model = keras.Sequential([keras.Input([2]), dense, Product()])
model.set_weights([A, B])
print("C")
print(model.predict(np.eye(2), verbose=0))
model.compile(keras.optimizers.SGD(1.0), lambda w, C: ops.sum(w * C))
model.fit(np.eye(2), weights, shuffle=False, verbose=0)
for name, start, end in zip("AB", (A, B), model.get_weights()):
    print("downstream", name)
    print((start - end).astype(int))
