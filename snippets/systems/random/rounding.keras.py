"""Round up or down at random: right on average, with the slope of the mean."""

import keras
import numpy as np
from keras import ops


@ops.custom_gradient
def round_at_random(x, u):
    def grad(*args, upstream=None):
        if upstream is None:
            (upstream,) = args
        return upstream, None

    return ops.floor(x + u), grad


class RoundAtRandom(keras.layers.Layer):
    def build(self, shape):
        self.x = self.add_weight(shape=shape[-1:], name="x")

    def call(self, u):
        return round_at_random(ops.broadcast_to(self.x, ops.shape(u)), u)


def loss(_, y):
    return ops.sum(ops.mean(y, axis=0) * ops.array([1.0, 10.0, 100.0]))


u = np.random.default_rng(0).random([10000, 3], np.float32)
x = np.array([0.25, -1.5, 2.9])
model = keras.Sequential([keras.Input([3]), RoundAtRandom()])
model.set_weights([x])
y = model.predict(u, batch_size=10000, verbose=0)
model.compile(keras.optimizers.SGD(1.0), loss)
model.fit(u, u, batch_size=10000, verbose=0)
print("three samples", y[:3].tolist())
print("mean         ", y.mean(axis=0).round(2))
print("dL/dx        ", (x - model.get_weights()[0]).round(2))
