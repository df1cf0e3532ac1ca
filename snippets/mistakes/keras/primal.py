"""The primal is the value of the Keras weight, a tf.Variable."""

import tensorflow as tf
from tensorflow import keras


def derivative(primal, weight):
    with tf.autodiff.ForwardAccumulator(primal, tf.ones([])) as accumulator:
        y = weight * weight
    return accumulator.jvp(y).numpy()


w, variable = keras.Variable(3.0), tf.Variable(3.0)
print("Keras weight:", derivative(w.value, w))
print("tf.Variable: ", derivative(variable, variable))
print("by hand:     ", 2.0 * 3.0)
