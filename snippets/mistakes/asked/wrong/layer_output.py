"""Wrong on purpose: the output of a layer is computed beside the model."""

import tensorflow as tf
from tensorflow import keras

inputs = keras.Input([2])
hidden = keras.layers.Dense(2, "relu", kernel_initializer="ones")(inputs)
scores = keras.layers.Dense(1, kernel_initializer="ones")(hidden)
model, features = keras.Model(inputs, scores), keras.Model(inputs, hidden)
x = tf.constant([[1.0, 2.0]])
with tf.GradientTape(persistent=True) as tape:
    of_layer, score = features(x), model(x)
print("wrong", tape.gradient(score, of_layer))
both = keras.Model(inputs, [hidden, scores])
with tf.GradientTape() as tape:
    of_layer, score = both(x)
print("right", tape.gradient(score, of_layer).numpy())
