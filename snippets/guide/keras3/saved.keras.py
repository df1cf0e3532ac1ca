"""A saved model finds its custom gradient again, and trains on."""

import tempfile

import keras
import numpy as np
from keras import ops


def product(share):
    @ops.custom_gradient
    def product(x, w):
        def grad(*args, upstream=None):
            if upstream is None:
                (upstream,) = args
            upstream = share * upstream
            return upstream * w, ops.sum(upstream * x)

        return x * w, grad

    return product


@keras.saving.register_keras_serializable("guide")
class Scale(keras.layers.Layer):
    def __init__(self, share, **kwargs):
        super().__init__(**kwargs)
        self.share = share

    def build(self, shape):
        self.w = self.add_weight(shape=(), initializer="ones")

    def call(self, x):
        return product(self.share)(x, ops.copy(self.w))


def train(name, model):
    model.fit(np.ones([1, 1]), np.zeros([1, 1]), verbose=0)
    kernel, w = (ops.convert_to_numpy(v).item() for v in model.weights)
    print(f"{name:8}  kernel {kernel:.4f}  w {w:.4f}")


model = keras.Sequential([
    keras.Input([1]),
    keras.layers.Dense(1, use_bias=False, kernel_initializer="ones"),
    Scale(0.25)])
model.compile(keras.optimizers.SGD(0.25), "mse")
train("before", model)
with tempfile.TemporaryDirectory() as folder:
    model.save(f"{folder}/model.keras")
    loaded = keras.models.load_model(f"{folder}/model.keras")
train("original", model)
train("loaded", loaded)
