"""Deliberately wrong: a Keras weight is passed to tape.watch."""

# tracebook: alone

import tensorflow as tf
from tensorflow import keras

layer = keras.layers.Dense(1, kernel_initializer="ones")
x = tf.constant([[2.0]])
layer.build(x.shape)
# tracebook: raises ValueError
with tf.GradientTape() as tape:
    tape.watch(layer.kernel)
    y = layer(x)
