"""Deliberately wrong: the source or the target isn't a tensor."""

import tensorflow as tf
from tensorflow import keras

layer = keras.layers.Dense(1, kernel_initializer="ones")
x = tf.constant([[2.0]])
model = keras.Sequential([keras.Input([1]), layer])
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y = tf.reduce_sum(model(x))
for asked in ((y, x.numpy()), (y, layer), (y, layer.output)):
    try:
        tape.gradient(*asked)
    except AttributeError as error:
        print("AttributeError:", error)
# tracebook: raises AttributeError
tape.gradient(y.numpy(), x)
