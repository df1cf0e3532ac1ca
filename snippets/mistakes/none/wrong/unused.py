"""Deliberately wrong: a head of the model that no loss uses."""

import warnings

import numpy as np
from tensorflow import keras

inputs = keras.Input([1])
shared = keras.layers.Dense(1, name="shared")(inputs)
price = keras.layers.Dense(1, name="price")(shared)
mood = keras.layers.Dense(1, name="mood")(shared)
model = keras.Model(inputs, [price, mood])
model.compile("sgd", loss=["mse", None], metrics=[[], ["mae"]])
x, y = np.ones([4, 1]), np.ones([4, 1])
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    model.fit(x, [y, y], verbose=0)
for each in caught:
    print(f"{each.category.__name__}: {each.message}")
