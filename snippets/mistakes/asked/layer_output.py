"""One model with two outputs: the score comes from the output of the layer."""

import tensorflow as tf
from tensorflow import keras

inputs = keras.Input([2])
hidden = keras.layers.Dense(2, "relu", kernel_initializer="ones")(inputs)
scores = keras.layers.Dense(1, kernel_initializer="ones")(hidden)
model = keras.Model(inputs, scores)
both = keras.Model(model.inputs, [model.layers[1].output, model.output])
x = tf.constant([[1.0, 2.0]])
with tf.GradientTape() as tape:
    of_layer, score = both(x)
gradient = tape.gradient(score, of_layer)
assert gradient is not None
print("the output of the layer", of_layer.numpy())
print("its gradient", gradient.numpy())
step = model.layers[2](of_layer + tf.constant([[0.5, 0.0]])) - score
print("by a difference", (step / 0.5).numpy().item())
