"""The variable that a Keras weight holds is among the variables."""

import tensorflow as tf
from tensorflow import keras


class Scale(keras.layers.Layer):
    def build(self, shape):
        self.w = self.add_weight(shape=(), initializer="ones", name="w")

    def call(self, x):
        @tf.custom_gradient
        def scaled(x):
            def grad(upstream, variables=None):
                slope = tf.reduce_sum(upstream * x)
                return upstream * self.w, [
                    tf.cast(slope, each.dtype)
                    if each is self.w.value else None
                    for each in variables]

            return x * self.w, grad

        return scaled(x)


layer, x = Scale(), tf.constant([3.0, 4.0])
with tf.GradientTape() as tape:
    y = layer(x)
print("gradient of w:", tape.gradient(y, layer.w).numpy())
with tf.GradientTape() as tape:
    y = x * layer.w
print("without a custom gradient:", tape.gradient(y, layer.w).numpy())
