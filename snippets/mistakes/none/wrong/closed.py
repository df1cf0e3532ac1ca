"""Deliberately wrong: the gradient function of a layer captures its weight."""

import warnings

import tensorflow as tf
from tensorflow import keras


class Scale(keras.layers.Layer):
    def build(self, shape):
        self.w = self.add_weight(shape=(), initializer="ones", name="w")

    def call(self, x):
        w = tf.convert_to_tensor(self.w)

        # truth: the rule is right
        @tf.custom_gradient
        def scaled(x):
            return x * w, lambda upstream: upstream * w

        return scaled(x)


dense, scale = keras.layers.Dense(2, name="dense"), Scale(name="scale")
optimizer, x = keras.optimizers.SGD(0.1), tf.ones([4, 2])
with tf.GradientTape() as tape:
    loss = tf.reduce_mean(scale(dense(x)) ** 2)
weights = dense.trainable_variables + scale.trainable_variables
gradients = tape.gradient(loss, weights)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    optimizer.apply(gradients, weights)
print("w after a step:", scale.w.numpy())
print(f"{caught[0].category.__name__}: {caught[0].message}")
