"""Deliberately wrong: a missing label stays NaN, although its weight is 0."""

import keras
import numpy as np

keras.utils.set_random_seed(0)
x = np.array([[1.0], [2.0], [3.0]], np.float32)
y = np.array([[2.0], [4.0], [np.nan]], np.float32)
weights = np.array([1.0, 1.0, 0.0], np.float32)

model = keras.Sequential([keras.layers.Dense(1, use_bias=False)])
model.compile("sgd", "mean_squared_error")
fitted = model.fit(x, y, sample_weight=weights, epochs=1, verbose=0)
print("loss", fitted.history["loss"], " kernel", model.get_weights()[0])
