"""Deliberately wrong: a custom layer that load_model can't find."""

import os
import tempfile

import tensorflow as tf
from tensorflow import keras


# truth: the rule is right; upstream becomes -upstream
@tf.custom_gradient
def reverse(x):
    return tf.identity(x), lambda upstream: -upstream


class Reverse(keras.layers.Layer):
    def call(self, x):
        return reverse(x)


model = keras.Sequential([keras.Input([1]), Reverse()])
print("value", model(tf.constant([[3.0]])).numpy().item())
# tracebook: raises TypeError
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "model.keras")
    model.save(path)
    try:
        keras.models.load_model(path)
    except TypeError as error:
        said = str(error).partition("Exception encountered: ")[2]
        raise TypeError(said.partition(" If they")[0]) from None
