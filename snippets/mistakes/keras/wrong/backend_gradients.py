"""Deliberately wrong: keras.backend.gradients doesn't exist in Keras 3."""
# tracebook: raises AttributeError

import keras

model = keras.Sequential([keras.Input([2]), keras.layers.Dense(1)])
keras.backend.gradients(model.output, model.input)
