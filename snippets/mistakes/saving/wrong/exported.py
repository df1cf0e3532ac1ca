"""Deliberately wrong: load_model reads the folder that model.export wrote."""

import tempfile

from tensorflow import keras

model = keras.Sequential([keras.Input([1]), keras.layers.Dense(1)])
# tracebook: raises ValueError
with tempfile.TemporaryDirectory() as folder:
    model.export(folder, verbose=False)
    try:
        keras.models.load_model(folder)
    except ValueError as error:
        said = str(error).replace(folder, "FOLDER")
        raise ValueError(said.partition(" Note")[0]) from None
