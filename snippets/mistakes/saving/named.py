"""A Lambda layer with a named function that is passed to load_model."""

import os
import tempfile

import tensorflow as tf
from tensorflow import keras


# truth: upstream becomes -upstream
@tf.custom_gradient
def reverse(x):
    return tf.identity(x), lambda upstream: -upstream


def named(x):
    return reverse(x)


def gradient(model):
    x = tf.constant([[3.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = model(x) ** 2
    return tape.gradient(y, x).numpy().item()


model = keras.Sequential([keras.Input([1]), keras.layers.Lambda(named)])
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "model.keras")
    model.save(path)
    loaded = keras.models.load_model(path, custom_objects={"named": named})
print("gradient before", gradient(model), " after", gradient(loaded))
