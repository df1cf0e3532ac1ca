"""The upstream gradient in fit: in float16, times the scale of the loss."""

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


x = np.array([[1.0]])
for policy in "float32", "mixed_float16":
    keras.config.set_dtype_policy(policy)
    dense = keras.layers.Dense(1, use_bias=False, kernel_initializer="ones")
    model = keras.Sequential([keras.Input([1]), dense, Probe()])
    model.compile(keras.optimizers.SGD(0.125), "mse")
    print(policy, " optimizer", type(model.optimizer).__name__)
    for target in 0.5, -8.0:
        model.fit(x, np.array([[target]]), verbose=0)
        scale = getattr(model.optimizer, "dynamic_scale", tf.constant(1.0))
        print(f"target {target:4}: kernel {dense.kernel.numpy().item():.4f}"
              f" {dense.kernel.dtype}  next scale {scale.numpy():.0f}")
