"""Deliberately wrong: the curvature of a ReLU network, from a tape."""

import keras
import tensorflow as tf

x = tf.linspace([-1.0], [1.0], 2001)


def report(activation, h=0.1):
    layer = keras.layers.Dense(1, activation)
    layer.build([None, 1])
    layer.kernel.assign([[1.0]])

    def slope():
        with tf.GradientTape() as tape:
            L = tf.reduce_mean(layer(x))
        return tape.gradient(L, layer.bias, unconnected_gradients="zero")

    with tf.GradientTape() as tape:
        g = slope()
    second = tape.gradient(g, layer.bias, unconnected_gradients="zero")
    layer.bias.assign([h])
    above = slope()
    layer.bias.assign([-h])
    differences = (above - slope()) / (2.0 * h)
    print(f"{activation:8}  tape {float(second[0]):.2f}"
          f"  difference of gradients {float(differences[0]):.2f}")


for activation in "relu", "softplus", "gelu":
    report(activation)
