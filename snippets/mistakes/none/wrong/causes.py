"""Deliberately wrong: each of these losses stops the gradient somewhere."""

import numpy as np
import tensorflow as tf
from tensorflow import keras

state = tf.Variable([[0.0]] * 4)
losses = {
    "tf.floor": lambda y, p: tf.abs(y - tf.floor(p)),
    "p > 0.5": lambda y, p: tf.abs(y - tf.cast(p > 0.5, tf.float32)),
    "tf.argmax": lambda y, p: tf.cast(tf.argmax(p, -1), tf.float32),
    "cast to int": lambda y, p: tf.cast(tf.cast(p, tf.int32), tf.float32),
    "numpy_function": lambda y, p: tf.ensure_shape(
        tf.numpy_function(np.subtract, [y, p], tf.float32), [4, 1]),
    "np.abs": lambda y, p: np.abs(y - p),
    "state.assign": lambda y, p: tf.abs(y - state.assign(p)),
    "stop_gradient": lambda y, p: tf.abs(y - tf.stop_gradient(p)),
    "labels only": lambda y, p: tf.abs(y - y)}
x, y = np.ones([4, 1]), np.ones([4, 1])
for name, loss in losses.items():
    model = keras.Sequential([keras.Input([1]), keras.layers.Dense(1)])
    model.compile("sgd", loss, run_eagerly=name == "np.abs")
    try:
        model.fit(x, y, verbose=0)
        print(f"{name:15} trained")
    except ValueError as error:
        print(f"{name:15} {error}")
