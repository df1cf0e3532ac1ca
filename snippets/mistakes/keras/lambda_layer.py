"""A layer with a weight of its own."""

# tracebook: alone

import numpy as np
import tensorflow as tf
from tensorflow import keras


# truth: w.shape == []
@tf.custom_gradient
def scaled(x, w):
    def grad(upstream):
        return upstream * w, tf.reduce_sum(upstream * x)

    return x * w, grad


class Scale(keras.layers.Layer):
    def build(self, shape):
        self.w = self.add_weight(shape=(), initializer="ones", name="w")

    def call(self, x):
        return scaled(x, tf.convert_to_tensor(self.w))


model = keras.Sequential([
    keras.Input([1]), keras.layers.Dense(1, kernel_initializer="ones"),
    Scale(name="scale")])
model.compile(keras.optimizers.SGD(0.1), "mse")
model.fit(np.ones([4, 1]), np.zeros([4, 1]), verbose=0)
kernel, bias, w = model.get_weights()
print(f"kernel after a step: {kernel.item():.2f}")
print(f"w after a step:      {w:.2f}")
print("trainable:", [each.path for each in model.trainable_variables])
assert len(model.trainable_variables) == 3
