"""Deliberately wrong: 1e-8 keeps a denominator from 0, but not in float16."""

# tracebook: alone

import numpy as np
import tensorflow as tf
from tensorflow import keras


# truth: the rule is right; abs(x) > 0.1
@tf.custom_gradient
def absolute(x):
    def grad(upstream):
        downstream = upstream * x / (tf.abs(x) + 1e-8)
        tf.print("  downstream", tf.reshape(downstream, [-1]))
        return downstream

    return tf.abs(x), grad


class Absolute(keras.layers.Layer):
    def call(self, x):
        return absolute(x)


x, t = np.array([[1.0], [0.0]]), np.array([[0.0], [1.0]])
for policy in "float32", "mixed_float16":
    keras.config.set_dtype_policy(policy)
    dense = keras.layers.Dense(1, use_bias=False, kernel_initializer="ones")
    model = keras.Sequential([keras.Input([1]), dense, Absolute()])
    model.compile(keras.optimizers.SGD(0.125), "mse")
    print(policy)
    for _ in range(3):
        model.fit(x, t, verbose=0, shuffle=False)
        scale = getattr(model.optimizer, "dynamic_scale", tf.constant(1.0))
        print(f"  kernel {dense.kernel.numpy().item():.4f}"
              f"  next scale {scale.numpy():.0f}")
