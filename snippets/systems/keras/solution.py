"""A dense layer with weights of -1 and 1; the real ones are trained."""

# tracebook: alone

import numpy as np
import tensorflow as tf
from tensorflow import keras


# truth: the gradient of tf.clip_by_value(w, -1.0, 1.0)
@tf.custom_gradient
def binary(w):
    def grad(upstream):
        return upstream * tf.cast(tf.abs(w) <= 1.0, upstream.dtype)

    return tf.where(w < 0.0, -tf.ones_like(w), tf.ones_like(w)), grad


class BinaryDense(keras.layers.Layer):
    def build(self, shape):
        self.w = self.add_weight(shape=(shape[-1], 1), name="w")

    def call(self, x):
        return x @ binary(tf.convert_to_tensor(self.w))


rng = np.random.default_rng(0)
x = rng.normal(size=[256, 8])
signs = np.where(rng.normal(size=[8, 1]) < 0.0, -1.0, 1.0)
for policy in "float32", "mixed_float16":
    keras.config.set_dtype_policy(policy)
    keras.utils.set_random_seed(0)
    layer = BinaryDense()
    model = keras.Sequential([keras.Input([8]), layer])
    model.compile(keras.optimizers.Adam(0.02), "mse")
    right = np.count_nonzero(np.sign(layer.w.numpy()) == signs)
    model.fit(x, x @ signs, 64, epochs=10, verbose=0)
    now = np.count_nonzero(np.sign(layer.w.numpy()) == signs)
    print(f"{policy:13}  signs that are right: {right} of 8, then {now}"
          f"  weights are {layer.w.dtype}")
