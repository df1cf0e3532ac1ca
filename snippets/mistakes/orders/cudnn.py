"""Without cuDNN, a recurrent layer has second derivatives."""

import tensorflow as tf
from tensorflow import keras

keras.utils.set_random_seed(1)
layer = keras.layers.LSTM(2, use_cudnn=False)
x = tf.constant([[[1.0], [-1.0], [0.5]]])


def slope(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(layer(x))
    return tape.gradient(y, x)


with tf.GradientTape() as tape:
    tape.watch(x)
    first = tf.reduce_sum(slope(x))
second = tf.reduce_sum(tape.gradient(first, x)).numpy()
step = 1e-2
difference = tf.reduce_sum(slope(x + step) - slope(x - step)) / (2 * step)
print("agrees with finite differences:",
      abs(second - difference.numpy()) < 1e-3)
print("is not 0:", abs(second) > 1e-3)
