"""Deliberately wrong: add_loss in a layer that is recomputed."""

import keras
import tensorflow as tf


class Penalized(keras.layers.Dense):
    def call(self, x):
        y = super().call(x)
        self.add_loss(tf.reduce_mean(y**2))
        return y


layer = Penalized(1, kernel_initializer="ones")
x = tf.constant([[1.0], [3.0]])
layer(x)
# truth: the rule is right
for name, call in {
        "plain": layer, "recomputed": tf.recompute_grad(layer)}.items():
    with tf.GradientTape() as tape:
        call(x)
        [loss] = layer.losses
    print(name, loss.numpy(), tape.gradient(loss, layer.kernel))
