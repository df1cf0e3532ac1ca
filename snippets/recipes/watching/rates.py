"""A tenth of the learning rate for one layer: in the gradient or the step."""

import keras
import numpy as np
import tensorflow as tf


# truth: upstream becomes 0.1 * upstream
@tf.custom_gradient
def tenth(x):
    """The identity, with a tenth of the gradient for all layers before it."""
    return tf.identity(x), lambda upstream: 0.1 * upstream


class RatedAdam(keras.optimizers.Adam):
    """A factor of the learning rate for weights with a name in their path."""

    def __init__(self, factors, **keywords):
        super().__init__(**keywords)
        self.factors = factors

    def update_step(self, gradient, variable, learning_rate):
        index = self._get_variable_index(variable)  # as in Keras's own Adam
        path = self._trainable_variables[index].path
        for name, factor in self.factors.items():
            if name in path:
                learning_rate = factor * learning_rate
        super().update_step(gradient, variable, learning_rate)

    def get_config(self):
        return super().get_config() | {"factors": self.factors}


def moves(optimizer, between):
    """The largest change of a weight in each kernel after one step."""
    keras.utils.set_random_seed(0)
    model = keras.Sequential([
        keras.Input([4]), keras.layers.Dense(8, "tanh", name="first"),
        keras.layers.Lambda(between), keras.layers.Dense(1)])
    model.compile(optimizer, "mse")
    before = model.get_weights()
    model.fit(x, y, batch_size=64, verbose=0)
    changes = zip(model.get_weights()[::2], before[::2])
    return "  ".join(f"{np.abs(a - b).max():.5f}" for a, b in changes)


x = np.random.default_rng(0).normal(size=(64, 4)).astype("float32")
y = np.sin(x.sum(1, keepdims=True))
Adam, SGD = keras.optimizers.Adam, keras.optimizers.SGD
rated = RatedAdam({"first": 0.1}, learning_rate=0.001)
print("largest step of    first    last")
for name, optimizer, between in (
        ("SGD", SGD(0.001), tf.identity), ("SGD, tenth", SGD(0.001), tenth),
        ("Adam, tenth", Adam(0.001), tenth),
        ("RatedAdam", rated, tf.identity)):
    print(f"{name:17}", moves(optimizer, between))
