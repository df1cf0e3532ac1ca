"""Deliberately wrong: the activation is replaced between two calls of fit."""

import numpy as np
import tensorflow as tf
from tensorflow import keras


# truth: the rule is right; the gradient of tf.identity
@tf.custom_gradient
def leaky_backward(x):
    return tf.nn.relu(x), lambda upstream: upstream


dense = keras.layers.Dense(
    1, "relu", kernel_initializer=keras.initializers.Constant(-1.0))
model = keras.Sequential([keras.Input([1]), dense])
model.compile(keras.optimizers.SGD(0.1), "mse")
x, y = np.ones([4, 1]), np.ones([4, 1])
model.fit(x, y, verbose=0)
print(f"relu:      kernel {dense.kernel.numpy().item():.1f}")
dense.activation = leaky_backward
with tf.GradientTape() as tape:
    loss = tf.reduce_mean((model(x) - y) ** 2)
print("eager:     gradient", tape.gradient(loss, dense.kernel).numpy().item())
model.fit(x, y, verbose=0)
print(f"replaced:  kernel {dense.kernel.numpy().item():.1f}")
