"""Deliberately wrong: a Keras weight is the primal of a ForwardAccumulator."""

import tensorflow as tf
from tensorflow import keras

w = keras.Variable(3.0)
# tracebook: raises AttributeError
with tf.autodiff.ForwardAccumulator(w, tf.constant(1.0)) as accumulator:
    y = w * w
