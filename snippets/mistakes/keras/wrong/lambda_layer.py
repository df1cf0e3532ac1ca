"""Deliberately wrong: a Lambda layer whose function reads a variable."""

# tracebook: alone

import numpy as np
import tensorflow as tf
from tensorflow import keras


# truth: the rule is right; w.shape == []
@tf.custom_gradient
def scaled(x, w):
    def grad(upstream):
        return upstream * w, tf.reduce_sum(upstream * x)

    return x * w, grad


w = tf.Variable(1.0)
model = keras.Sequential([
    keras.Input([1]), keras.layers.Dense(1, kernel_initializer="ones"),
    keras.layers.Lambda(lambda x: scaled(x, tf.convert_to_tensor(w)))])
model.compile(keras.optimizers.SGD(0.1), "mse")
model.fit(np.ones([4, 1]), np.zeros([4, 1]), verbose=0)
print(f"kernel after a step: {model.get_weights()[0].item():.2f}")
print(f"w after a step:      {w.numpy():.2f}")
print("trainable:", [each.path for each in model.trainable_variables])
