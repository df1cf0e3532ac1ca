"""The hidden layer is an output with a loss of its own."""

import numpy as np
import tensorflow as tf
from tensorflow import keras

keras.utils.set_random_seed(0)
inputs = keras.Input([5])
hidden = keras.layers.Dense(2, name="hidden")(inputs)
last = keras.layers.Dense(1, name="last")(hidden)
model = keras.Model(inputs, {"last": last, "hidden": hidden})


def size(y_true, y_pred):
    return tf.reduce_sum(tf.square(y_pred), -1)


x = np.ones([4, 5])
targets = {"last": np.ones([4, 1]), "hidden": np.zeros([4, 2])}
model.compile(keras.optimizers.SGD(0.01), {"last": "mse", "hidden": size})
history = model.fit(x, targets, epochs=3, verbose=0).history
for name, values in history.items():
    print(f"{name:12}", *(f"{value:.3f}" for value in values))
