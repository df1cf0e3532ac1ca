"""Wrong on purpose: under mixed_float16 the rule reads a float32 weight."""
# tracebook: raises InvalidArgumentError

import tensorflow as tf
from tensorflow import keras


class Scale(keras.layers.Layer):
    def build(self, shape):
        self.w = self.add_weight(shape=(), initializer="ones", name="w")

    def call(self, x):
        @tf.custom_gradient
        def scaled(x):
            def grad(upstream, variables=None):
                local = variables[0]
                return upstream * local, [tf.reduce_sum(upstream * x)]

            return x * self.w, grad

        return scaled(x)


layer = Scale(dtype="mixed_float16")
x = tf.constant([3.0, 4.0])
with tf.GradientTape() as tape:
    y = layer(x)
tape.gradient(y, layer.trainable_variables[0].value)
