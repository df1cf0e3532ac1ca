"""Deliberately wrong: a custom gradient in a Lambda layer of a .keras file."""

import os
import tempfile

import tensorflow as tf
from tensorflow import keras


# truth: the rule is right; upstream becomes -upstream
@tf.custom_gradient
def reverse(x):
    return tf.identity(x), lambda upstream: -upstream


model = keras.Sequential([
    keras.Input([1]), keras.layers.Lambda(lambda x: reverse(x))])
print("value", model(tf.constant([[3.0]])).numpy().item())
# tracebook: raises ValueError
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "model.keras")
    model.save(path)
    loaded = keras.models.load_model(path, safe_mode=False)
    try:
        loaded(tf.constant([[3.0]]))
    except NameError as error:
        [said] = [line for line in str(error).splitlines() if "name" in line]
        print("with safe_mode=False: NameError:", said.strip("\x1b[01m"))
    try:
        keras.models.load_model(path)
    except ValueError as error:
        raise ValueError(str(error).partition(". ")[0]) from None
