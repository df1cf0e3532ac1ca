"""An equilibrium layer: the gradient function solves a linear system."""

import keras
import numpy as np
from keras import ops


def iterate(step, y):
    """Repeat a step until only rounding errors change y."""
    end = 4.0 * np.finfo(keras.backend.standardize_dtype(y.dtype)).eps
    y, _ = ops.while_loop(
        lambda y, change: ops.max(change) > end,
        lambda y, _: (new := step(y), ops.abs(new - y)),
        (step(y), ops.ones_like(y)),
        maximum_iterations=1000)
    return y


@ops.custom_gradient
def equilibrium(W, x):
    W, x = ops.stop_gradient(W), ops.stop_gradient(x)
    W_T = ops.transpose(W)
    y = iterate(lambda y: ops.tanh(ops.matmul(y, W_T) + x), ops.zeros_like(x))

    def grad(*args, upstream=None):
        if upstream is None:
            (upstream,) = args
        diagonal = ops.eye(W.shape[0]) / (1.0 - y * y)[:, None]
        A_T = diagonal - W_T  # one matrix for each row of y
        w = ops.solve(A_T, upstream[..., None])[..., 0]
        return ops.matmul(ops.transpose(w), y), w

    return y, grad


class Equilibrium(keras.layers.Layer):
    def build(self, shape):
        self.W = self.add_weight(shape=(shape[-1], shape[-1]), name="W")

    def call(self, x):
        return equilibrium(ops.copy(self.W), x)


W = np.array([[0.5, -0.4], [0.3, 0.2]])
x = np.array([[0.2, 1.0]])
dense = keras.layers.Dense(2, kernel_initializer="identity")
layer = Equilibrium()
model = keras.Sequential([keras.Input([2]), dense, layer])
layer.set_weights([W])
y = model.predict(x, verbose=0)
print("y             ", y[0].round(5))
print("tanh(W y + x) ", np.tanh(y @ W.T + x)[0].round(5))
model.compile(keras.optimizers.SGD(1.0), lambda u, y: ops.sum(u * y))
model.fit(x, np.array([[1.0, 10.0]]), verbose=0)
print("downstream_W  ", (W - layer.get_weights()[0]).round(5).tolist())
print("downstream_x  ", -dense.get_weights()[1].round(5))  # the bias was 0
