"""Deliberately wrong: build makes a distribution of a Keras weight."""

import warnings

import keras
import tensorflow as tf
import tensorflow_probability as tfp

warnings.simplefilter("ignore")  # "Gradients do not exist for variables"


class Noise(keras.layers.Layer):
    def __init__(self, where):
        super().__init__()
        self.where = where

    def build(self, shape):
        if self.where == "tf.Variable":
            self.scale = tf.Variable(1.0)
        else:
            self.scale = self.add_weight(shape=[], initializer="ones")
        self.q = tfp.distributions.Normal(0.0, self.scale)

    def call(self, x):
        q = self.q
        if self.where == "call":  # right
            q = tfp.distributions.Normal(0.0, self.scale)
        self.add_loss(-tf.reduce_mean(q.log_prob(x)))
        return x


x = 0.5 * tf.random.stateless_normal([256, 1], [1, 2])
for where in "build", "tf.Variable", "call":
    model = keras.Sequential([
        keras.Input([1]), Noise(where), keras.layers.Dense(1)])
    model.compile(keras.optimizers.SGD(0.1), "mse")
    model.fit(x, x, batch_size=256, epochs=60, verbose=0)
    print(f"{where:11}  scale {model.layers[0].scale.numpy():.2f}"
          f"  trainable weights {len(model.trainable_weights)}")
print(f"exact        scale {tf.sqrt(tf.reduce_mean(x**2)):.2f}")
