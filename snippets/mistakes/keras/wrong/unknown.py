"""Deliberately wrong: one optimizer, and variables that it hasn't seen."""

import tensorflow as tf
from tensorflow import keras

first, second = tf.Variable(1.0), tf.Variable(1.0)
optimizer = keras.optimizers.SGD(0.1)
optimizer.apply_gradients([(tf.constant(0.5), first)])
# tracebook: raises ValueError
optimizer.apply_gradients([(tf.constant(0.5), second)])
