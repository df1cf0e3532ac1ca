"""The tape watches a Keras weight automatically."""

import tensorflow as tf
from tensorflow import keras

layer = keras.layers.Dense(1, kernel_initializer="ones")
x = tf.constant([[2.0]])
layer.build(x.shape)
with tf.GradientTape() as tape:
    y = layer(x)
print("for the kernel", tape.gradient(y, layer.kernel).numpy().item())
with tf.GradientTape(watch_accessed_variables=False) as tape:
    tape.watch(layer.kernel.value)
    y = layer(x)
of_kernel, of_bias = tape.gradient(y, [layer.kernel, layer.bias])
print("only the kernel is watched: for the kernel",
      of_kernel.numpy().item(), " for the bias", of_bias)
