"""The quotient is computed in float32, where 1e-8 isn't 0."""

# tracebook: alone

import numpy as np
import tensorflow as tf
from tensorflow import keras


# truth: abs(x) > 0.1; first derivative only
@tf.custom_gradient
def absolute(x):
    def grad(upstream):
        wide = tf.cast(x, tf.float32)
        local = tf.cast(wide / (tf.abs(wide) + 1e-8), upstream.dtype)
        downstream = upstream * local
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
