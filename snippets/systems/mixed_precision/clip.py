"""The limit of a clip grows with the scale of the loss."""

# tracebook: alone

import numpy as np
import tensorflow as tf
from tensorflow import keras


# truth: upstream becomes tf.clip_by_value(upstream, -limit, limit)
# truth: limit needs no gradient; limit.shape == []
# truth: dense upstream
@tf.custom_gradient
def clipped(x, limit):
    def grad(upstream):
        wide = tf.cast(upstream, limit.dtype)
        wide = tf.clip_by_value(wide, -limit, limit)
        return tf.cast(wide, upstream.dtype), None

    return tf.identity(x), grad


class Clip(keras.layers.Layer):
    def __init__(self, limit, optimizer):
        super().__init__()
        self.limit, self.optimizer = limit, optimizer

    def call(self, x):
        # scale_loss multiplies by the scale, or does nothing.
        limit = self.optimizer.scale_loss(tf.constant(self.limit))
        return clipped(x, limit)


x, t = np.array([[1.0]]), np.array([[0.5]])
for policy in "float32", "mixed_float16":
    keras.config.set_dtype_policy(policy)
    optimizer = keras.optimizers.SGD(0.125)
    if policy == "mixed_float16":
        optimizer = keras.optimizers.LossScaleOptimizer(optimizer)
    dense = keras.layers.Dense(1, use_bias=False, kernel_initializer="ones")
    model = keras.Sequential([keras.Input([1]), dense,
                              Clip(0.5, optimizer)])
    model.compile(optimizer, "mse")
    model.fit(x, t, verbose=0)
    print(f"{policy:13}  kernel after a step"
          f" {dense.kernel.numpy().item():.6f}")
