"""Deliberately wrong: the loss is computed from predict."""

import tensorflow as tf
from tensorflow import keras

model = keras.Sequential(
    [keras.Input([1]), keras.layers.Dense(1, kernel_initializer="ones")])
x = tf.constant([[2.0], [3.0]])
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    predicted = model.predict(x, verbose=0)
    wrong = tf.reduce_sum(predicted)
    right = tf.reduce_sum(model(x))
print("predict returns", type(predicted).__name__)
weight = model.trainable_variables[0]
print("wrong", tape.gradient(wrong, weight), tape.gradient(wrong, x))
print("right", tape.gradient(right, weight).numpy().item())
