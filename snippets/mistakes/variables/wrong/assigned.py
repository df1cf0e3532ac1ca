"""Deliberately wrong: the function assigns to a variable that is passed."""

import tensorflow as tf
from tensorflow import keras

power = tf.Variable(0.0, trainable=False)


@tf.custom_gradient
def scaled(x, power):
    power.assign(tf.reduce_mean(x * x))

    def grad(upstream):
        return upstream / power, None

    return tf.identity(x), grad


class Scaled(keras.layers.Layer):
    def call(self, x):
        return scaled(x, power)


x = tf.constant([[1.0], [2.0]])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = scaled(x, power)
print("eager:", tape.gradient(y, x).numpy().ravel())
model = keras.Sequential([keras.Input([1]), keras.layers.Dense(1)])
try:
    model.add(Scaled())
except AttributeError as error:
    line = next(each for each in str(error).splitlines() if "assign" in each)
    print(f"AttributeError: {line.partition(chr(27))[0]}")
