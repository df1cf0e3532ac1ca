"""Deliberately wrong: a Keras weight is passed without its value."""
# tracebook: raises TypeError

import tensorflow as tf
from tensorflow import keras

w = keras.Variable(2.0, name="w")


# truth: the rule is right; w.shape == []
@tf.custom_gradient
def scaled(x, w):
    def grad(upstream):
        return upstream * w, tf.reduce_sum(upstream * x)

    return x * w, grad


x = tf.constant([3.0, 4.0])
scaled(x, w)
