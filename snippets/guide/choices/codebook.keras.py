"""The nearest vector of a codebook, straight through."""

import keras
import numpy as np
from keras import ops


@ops.custom_gradient
def straight(z, e):
    def grad(*args, upstream=None):
        if upstream is None:
            (upstream,) = args
        return upstream, None

    return ops.copy(e), grad


class Codebook(keras.layers.Layer):
    def __init__(self, weight, **kwargs):
        super().__init__(**kwargs)
        self.weight = weight

    def build(self, shape):
        self.E = self.add_weight(shape=(3, shape[-1]), name="E")

    def call(self, z):
        E, stop = ops.copy(self.E), ops.stop_gradient
        distances = ops.sum((E - z[:, None]) ** 2, axis=-1)
        e = ops.take(E, ops.argmin(distances, axis=-1), axis=0)
        loss = ops.sum((stop(z) - e) ** 2)
        loss += 0.25 * ops.sum((z - stop(e)) ** 2)
        self.add_loss(self.weight * loss)
        return straight(z, stop(e))


E = np.array([[0.0, 0.0], [1.0, 1.0], [4.0, 0.0]])
z, target = np.array([[1.5, 0.5]]), np.array([[2.0, 2.0]])
for weight in (1.0, 0.0):
    dense = keras.layers.Dense(2, kernel_initializer="identity")
    codebook = Codebook(weight)
    model = keras.Sequential([keras.Input([2]), dense, codebook])
    codebook.set_weights([E])
    q = model.predict(z, verbose=0)[0]
    model.compile(keras.optimizers.SGD(1.0),
                  lambda t, q: ops.sum((q - t) ** 2))
    model.fit(z, target, verbose=0)
    of_z = (-dense.get_weights()[1]).tolist()  # the bias was 0
    if weight:
        print("q       ", q.tolist())
        print("E       ", (E - codebook.get_weights()[0]).tolist())
    print("z       " if weight else "task, z ", of_z)
