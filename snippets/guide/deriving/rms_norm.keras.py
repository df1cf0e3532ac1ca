"""RMS normalization: the derived gradient, beside Keras's own layer."""

import keras
import numpy as np
from keras import layers, ops

EPSILON = 1e-6


def mean(x):
    return ops.mean(x, axis=-1, keepdims=True)


@ops.custom_gradient
def rms_norm(x, gamma):
    def grad(*args, upstream=None):
        if upstream is None:
            (upstream,) = args
        s = ops.sqrt(mean(x * x) + EPSILON)  # again, instead of kept
        r = x / s
        r_bar = upstream * gamma
        x_bar = (r_bar - r * mean(r_bar * r)) / s
        rows = tuple(range(len(x.shape) - 1))
        return x_bar, ops.sum(upstream * r, rows)

    return gamma * x / ops.sqrt(mean(x * x) + EPSILON), grad


class RMSNorm(layers.Layer):
    def build(self, shape):
        self.gamma = self.add_weight(shape=shape[-1:], initializer="ones")

    def call(self, x):
        return rms_norm(x, ops.copy(self.gamma))


random = np.random.default_rng(0)
x, upstream = random.normal(size=[2, 2, 3, 4])
gamma = np.array([1.0, 2.0, 3.0, 4.0])
weights = []
for layer in (layers.RMSNormalization(epsilon=EPSILON), RMSNorm()):
    embedding = layers.Embedding(2 * 3, 4)  # its rows are those of x
    model = keras.Sequential([keras.Input([3], dtype="int32"),
                              embedding, layer])
    model.set_weights([x.reshape([6, 4]), gamma])
    model.compile(keras.optimizers.SGD(1.0), lambda u, y: ops.sum(u * y))
    model.fit(np.arange(6).reshape([2, 3]), upstream, verbose=0)
    weights.append(model.get_weights())
for name, *pair in zip(("x", "gamma"), *weights):
    error = np.max(np.abs(np.subtract(*pair)))
    print(f"downstream {name}: agrees within 1e-5: {error < 1e-5}")
