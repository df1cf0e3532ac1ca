"""call isn't decorated, and calls a decorated function of one tensor."""

# tracebook: alone

import numpy as np
import tensorflow as tf
from tensorflow import keras


# truth: upstream becomes -upstream
@tf.custom_gradient
def reverse(x):
    return tf.identity(x), lambda upstream: -upstream


class Reversed(keras.layers.Layer):
    def call(self, x, training=None):
        return reverse(x)


x = np.ones([4, 1], "float32")
for last in (keras.layers.Identity(), Reversed()):
    dense = keras.layers.Dense(1, use_bias=False, kernel_initializer="zeros")
    model = keras.Sequential([keras.Input([1]), dense, last])
    model.compile(keras.optimizers.SGD(0.125), "mse")
    model.fit(x, x, verbose=0)
    print(f"{last.name:10} after one step {dense.kernel.numpy().item()}")
