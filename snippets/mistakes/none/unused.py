"""The head has a loss, or its layer is set to not trainable."""

import warnings

import numpy as np
from tensorflow import keras


def warned(losses, train_mood):
    inputs = keras.Input([1])
    shared = keras.layers.Dense(1, name="shared")(inputs)
    price = keras.layers.Dense(1, name="price")(shared)
    mood = keras.layers.Dense(1, name="mood", trainable=train_mood)(shared)
    model = keras.Model(inputs, [price, mood])
    model.compile("sgd", loss=losses)
    x, y = np.ones([4, 1]), np.ones([4, 1])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(x, [y, y], verbose=0)
    return len(caught)


print("warnings, with no loss for mood:   ", warned(["mse", None], True))
print("warnings, with a loss for mood:    ", warned(["mse", "mse"], True))
print("warnings, with mood not trainable: ", warned(["mse", None], False))
