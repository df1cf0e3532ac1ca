"""What a gradient function that overflows in float16 does to training."""

# tracebook: alone

import numpy as np
import tensorflow as tf
from tensorflow import keras


class Change(keras.layers.Layer):
    def __init__(self, change):
        super().__init__()
        self.change = change

    def call(self, x):
        change = self.change

        # truth: upstream becomes change(upstream); dense upstream
        @tf.custom_gradient
        def identity(x):
            def grad(upstream):
                downstream = change(upstream)
                tf.print("  upstream", upstream, "downstream", downstream)
                return downstream

            return tf.identity(x), grad

        return identity(x)


def times_8(upstream):
    return 8.0 * upstream


def clip(upstream):
    return tf.clip_by_value(upstream, -4096.0, 4096.0)


def clip_finite(upstream):
    return tf.where(tf.math.is_finite(upstream), clip(upstream), upstream)


def fit(change, target):
    dense = keras.layers.Dense(1, use_bias=False, kernel_initializer="ones")
    model = keras.Sequential([keras.Input([1]), dense, Change(change)])
    model.compile(keras.optimizers.SGD(0.001), "mse")
    print(change.__name__)
    for _ in range(5):
        model.fit(np.array([[1.0]]), np.array([[target]]), verbose=0)
        print(f"  kernel {dense.kernel.numpy().item():.5f}  next scale"
              f" {model.optimizer.dynamic_scale.numpy():.0f}")


keras.config.set_dtype_policy("mixed_float16")
fit(times_8, 0.5)
fit(clip, -8.0)
fit(clip_finite, -8.0)
