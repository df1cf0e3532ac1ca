"""A layer of signs with the derivative of tanh, run eagerly and in fit."""

import numpy as np
import tensorflow as tf
from tensorflow import keras


# truth: the gradient of tf.tanh
@tf.custom_gradient
def sign(x):
    def grad(upstream):
        y_tilde = tf.tanh(x)
        local = 1.0 - y_tilde**2
        downstream = upstream * local
        tf.print("  x =", x, " upstream =", upstream)
        tf.print("  local =", local, " downstream =", downstream)
        return downstream

    return tf.sign(x), grad


class Sign(keras.layers.Layer):
    def call(self, x):
        return sign(x)


model = keras.Sequential([
    keras.Input([1]), keras.layers.Dense(2, use_bias=False), Sign(),
    keras.layers.Dense(1, use_bias=False)])
model.set_weights([np.array([[0.5, -1.0]]), np.array([[1.0], [1.0]])])
x, t = np.array([[1.0]]), np.array([[1.0]])
print("eager")
with tf.GradientTape() as tape:
    y = model(x)
    L = tf.reduce_mean((y - t) ** 2)
gradients = tape.gradient(L, model.trainable_variables)
print("y", y.numpy(), " L", L.numpy(), " gradient of the kernel",
      gradients[0].numpy())
print("fit")
model.compile(keras.optimizers.SGD(0.1), "mse")
model.fit(x, t, verbose=0)
hidden, output = model.get_weights()
print("after a step of 0.1: hidden", hidden[0], " output", output[:, 0])
