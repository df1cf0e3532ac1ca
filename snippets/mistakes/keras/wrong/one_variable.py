"""Deliberately wrong: zip goes through the entries of one variable."""

import tensorflow as tf
from tensorflow import keras

w = tf.Variable([1.0, 2.0])
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(w * w)
slope = tape.gradient(loss, w)
# tracebook: raises AttributeError
keras.optimizers.SGD(0.1).apply_gradients(zip(slope, w))
