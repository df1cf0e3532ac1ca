"""Deliberately wrong: gradients and variables in two lists."""

import tensorflow as tf
from tensorflow import keras

w = tf.Variable([1.0, 2.0])
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(w * w)
slopes = tape.gradient(loss, [w])
# tracebook: raises TypeError
keras.optimizers.SGD(0.1).apply_gradients(slopes, [w])
