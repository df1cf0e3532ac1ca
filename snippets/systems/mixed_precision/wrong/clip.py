"""Deliberately wrong: a limit of 0.5, for an upstream gradient times 32768."""

# tracebook: alone

import numpy as np
import tensorflow as tf
from tensorflow import keras


# truth: the rule is right; dense upstream
# truth: upstream becomes tf.clip_by_value(upstream, -0.5, 0.5)
@tf.custom_gradient
def clipped(x):
    def grad(upstream):
        return tf.clip_by_value(upstream, -0.5, 0.5)

    return tf.identity(x), grad


class Clip(keras.layers.Layer):
    def call(self, x):
        return clipped(x)


x, t = np.array([[1.0]]), np.array([[0.5]])
for policy in "float32", "mixed_float16":
    keras.config.set_dtype_policy(policy)
    dense = keras.layers.Dense(1, use_bias=False, kernel_initializer="ones")
    model = keras.Sequential([keras.Input([1]), dense, Clip()])
    model.compile(keras.optimizers.SGD(0.125), "mse")
    model.fit(x, t, verbose=0)
    print(f"{policy:13}  kernel after a step"
          f" {dense.kernel.numpy().item():.6f}")
