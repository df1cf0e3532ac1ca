"""A layer with binary weights trains in fit, by the straight-through rule."""

import keras
import numpy as np
from keras import ops


@ops.custom_gradient
def sign(w):
    def grad(*args, upstream=None):
        if upstream is None:
            (upstream,) = args
        return ops.where(ops.abs(w) <= 1.0, upstream, 0.0)

    return ops.where(w < 0.0, -1.0, ops.ones_like(w)), grad


class BinaryDense(keras.layers.Layer):
    def __init__(self, binary):
        super().__init__()
        self.binary = binary

    def build(self, shape):
        self.kernel = self.add_weight(shape=(shape[-1], 1), name="kernel")
        self.scale = self.add_weight(shape=(), initializer="ones")

    def call(self, x):
        kernel = self.binary(ops.copy(self.kernel))
        return self.scale * ops.matmul(x, kernel)


random = np.random.default_rng(0)
target = random.choice([-1.0, 1.0], size=[8, 1])
x = random.normal(size=[64, 8])
start = random.uniform(-0.5, 0.5, size=[8, 1])
for name, binary in (("ops.sign", ops.sign), ("straight through", sign)):
    layer = BinaryDense(binary)
    model = keras.Sequential([keras.Input([8]), layer])
    layer.kernel.assign(start)
    model.compile(keras.optimizers.SGD(0.02), "mse")
    history = model.fit(x, x @ target, 64, epochs=40, verbose=0)
    losses = history.history["loss"]
    right = np.mean(np.sign(ops.convert_to_numpy(layer.kernel)) == target)
    print(f"{name:16}  loss {losses[0]:5.2f} to {losses[-1]:4.2f}"
          f"  right signs {right:.0%}")
