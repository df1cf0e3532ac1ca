"""Deliberately wrong: the model doesn't compute this output of the layer."""

import tensorflow as tf
from tensorflow import keras


def layers():
    return (keras.layers.Dense(2, "relu", kernel_initializer="ones"),
            keras.layers.Dense(1, kernel_initializer="ones"))


inputs, (hidden, last) = keras.Input([2]), layers()
features = keras.Model(inputs, hidden(inputs))
model = keras.Model(inputs, last(hidden(inputs)))
x = tf.constant([[1.0, 2.0]])
with tf.GradientTape() as tape:
    of_layer, score = features(x), model(x)
print("two models:", tape.gradient(score, of_layer))

hidden, last = layers()
sequential = keras.Sequential(
    [keras.Input([2]), hidden, last], name="sequential")
inner = keras.Sequential([keras.Input([2]), layers()[0]])
nested = keras.Sequential([keras.Input([2]), inner, layers()[1]])
pairs = {
    "Sequential": lambda: (sequential.inputs, sequential.output),
    "nested": lambda: (nested.inputs, [inner.layers[0].output])}
for name, pair in pairs.items():
    try:
        keras.Model(*pair())
    except (AttributeError, ValueError) as error:
        print(f"{name}: {type(error).__name__}: {error}")
