"""keras.ops.custom_gradient: a layer, and a functional model."""

import numpy as np
import tensorflow as tf
from keras import ops
from tensorflow import keras


# truth: the gradient of tf.tanh
@ops.custom_gradient
def sign(x):
    def grad(*args, upstream=None):
        if upstream is None:
            (upstream,) = args
        return upstream * (1.0 - ops.tanh(x) ** 2)

    return ops.sign(x), grad


class Sign(keras.layers.Layer):
    def call(self, x):
        return sign(x)


inputs = keras.Input([2])
model = keras.Model(inputs, Sign()(inputs))
x = tf.constant([[0.5, -1.0]])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = model(x)
print("gradient", tape.gradient(y, x).numpy())
print("surrogate", 1.0 - np.tanh(x) ** 2)
