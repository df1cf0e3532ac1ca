"""Deliberately wrong: a Keras weight is passed as it is."""

import textwrap

import tensorflow as tf
from tensorflow import keras


# truth: the rule is right; w.shape == []
@tf.custom_gradient
def scaled(x, w):
    def grad(upstream):
        return upstream * w, tf.reduce_sum(upstream * x)

    return x * w, grad


class Scale(keras.layers.Layer):
    def __init__(self, ways):
        super().__init__(name="scale")
        self.as_input = ways
        self.w = self.add_weight(shape=(), initializer="ones", name="w")

    def call(self, x):
        return scaled(x, self.as_input(self.w))


def gradient(layer, x):
    with tf.GradientTape() as tape:
        y = layer(x)
    return tape.gradient(y, layer.trainable_variables)[0]


x = tf.constant([3.0, 4.0])
for name, way in (("self.w", lambda w: w),
                  ("keras.ops.convert_to_tensor", keras.ops.convert_to_tensor),
                  ("tf.convert_to_tensor", tf.convert_to_tensor)):
    for mode in (gradient, tf.function(gradient)):
        mode_name = "eager" if mode is gradient else "tf.function"
        try:
            found = mode(Scale(way), x).numpy()
            print(f"{name}, {mode_name}: gradient {found}")
        except TypeError as error:
            [line] = [line for line in str(error).splitlines()
                      if "grad_fn" in line]
            start = line.index("@tf")
            print(f"{name}, {mode_name}: TypeError")
            print(textwrap.indent(textwrap.fill(
                line[start:line.index(": [")], 66), "  "))
