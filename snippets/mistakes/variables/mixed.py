"""The rule gets the weight in the type that the layer computes in."""

import tensorflow as tf
from tensorflow import keras


# truth: w.shape == []
@tf.custom_gradient
def scaled(x, w):
    def grad(upstream):
        return upstream * w, tf.reduce_sum(upstream * x)

    return x * w, grad


class Scale(keras.layers.Layer):
    def __init__(self, function, **options):
        super().__init__(**options)
        self.function = function

    def build(self, shape):
        self.w = self.add_weight(shape=(), initializer="ones", name="w")

    def call(self, x):
        return self.function(x, tf.convert_to_tensor(self.w))


x = tf.constant([3.0, 4.0])
for function in scaled, tf.multiply:
    layer = Scale(function, dtype="mixed_float16")
    with tf.GradientTape() as tape:
        y = layer(x)
    gradient = tape.gradient(y, layer.w.value)
    print(f"{function.__name__:8}", gradient.numpy(), gradient.dtype.name)
