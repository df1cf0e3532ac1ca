"""Deliberately wrong: RematScope around a layer that fit calls."""

import numpy as np
from tensorflow import keras

with keras.RematScope(mode="full"):
    model = keras.Sequential([
        keras.Input([2]), keras.layers.Dense(2, "relu")])
model.compile("sgd", "mse")
# tracebook: raises ValueError
try:
    model.fit(np.ones([4, 2]), np.zeros([4, 2]), verbose=0)
except ValueError as error:
    [said] = [line for line in str(error).splitlines() if "decorator" in line]
    raise ValueError(said.strip("\x1b[01m")) from None
