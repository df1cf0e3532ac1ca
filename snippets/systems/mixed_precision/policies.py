"""When compile wraps the optimizer: the model's policy decides."""

# tracebook: alone

import numpy as np
import tensorflow as tf
from tensorflow import keras


@tf.custom_gradient
def probe(x):
    def grad(upstream):
        tf.print("  upstream", upstream.dtype.name, upstream)
        return upstream

    return tf.identity(x), grad


class Probe(keras.layers.Layer):
    def call(self, x):
        return probe(x)


def fit(name, layer=None, wrap=lambda optimizer: optimizer, **options):
    dense = keras.layers.Dense(
        1, use_bias=False, kernel_initializer="ones", dtype=layer)
    model = keras.Sequential([keras.Input([1]), dense, Probe(dtype=layer)])
    model.compile(wrap(keras.optimizers.SGD(0.125)), "mse", **options)
    print(f"{name}: {type(model.optimizer).__name__}")
    model.fit(np.array([[1.0]]), np.array([[0.5]]), verbose=0)
    print("  kernel", dense.kernel.numpy().item())


half, wrap = "mixed_float16", keras.optimizers.LossScaleOptimizer
fit("layer policy", layer=half)
fit("layer policy, wrapped by hand", layer=half, wrap=wrap)
keras.config.set_dtype_policy(half)
fit("global policy")
fit("global policy, auto_scale_loss=False", auto_scale_loss=False)
