"""Deliberately wrong: the code changes between saving and loading."""

import os
import tempfile

import keras
import tensorflow as tf


def release(strength):
    """The library, with another gradient in each release."""
    @tf.custom_gradient
    def reverse(x):
        return tf.identity(x), lambda upstream: -strength * upstream

    @keras.saving.register_keras_serializable(package="library")
    class Reverse(keras.layers.Layer):
        def call(self, x):
            return reverse(x)

    return Reverse


def gradient(function):
    x = tf.constant([[3.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    slope = tape.gradient(y, x)
    return f"value {y[0, 0]:.1f}  gradient {slope[0, 0]:.1f}"


model = keras.Sequential([keras.Input([1]), release(strength=1.0)()])
print("saved                 ", gradient(model))
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "model.keras")
    model.save(path)
    model.export(folder, verbose=False)
    release(strength=0.1)
    print(".keras, next release  ", gradient(keras.models.load_model(path)))
    exported = tf.saved_model.load(folder)
    print("export, next release  ", gradient(exported.serve))
