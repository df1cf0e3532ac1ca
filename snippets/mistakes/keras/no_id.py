"""The sources are tensors and weights."""

import tensorflow as tf
from tensorflow import keras

layer = keras.layers.Dense(1, kernel_initializer="ones")
x = tf.constant([[2.0]])
model = keras.Sequential([keras.Input([1]), layer])
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y = tf.reduce_sum(model(x))
print("for the input", tape.gradient(y, x).numpy().item())
for weight in layer.trainable_variables:
    print("for the", weight.name, tape.gradient(y, weight).numpy().item())
print("the value", y.numpy())
