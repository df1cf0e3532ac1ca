"""Deliberately wrong: a Hessian through layer normalization."""

import keras
import tensorflow as tf

x = tf.constant([1.0, 2.0, 6.0], tf.float64)
v = tf.constant([1.0, 0.0, 0.0], tf.float64)
LAYERS = {
    "layer normalization": keras.layers.LayerNormalization(dtype="float64"),
    "RMS normalization": keras.layers.RMSNormalization(dtype="float64"),
    "tf.nn.moments": lambda x: tf.nn.moments(x, [1])[1],
    "reduce_variance": lambda x: tf.math.reduce_variance(x, 1),
}


def gradient(layer, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        L = tf.reduce_sum(layer(x[None]) ** 3.0)
    return tape.gradient(L, x)


def hvp(layer, x, v):
    with tf.GradientTape() as tape:
        tape.watch(x)
        g = gradient(layer, x)
    return tape.gradient(g, x, v)


h = 1e-4
for name, layer in LAYERS.items():
    change = gradient(layer, x + h * v) - gradient(layer, x - h * v)
    print(f"{name:20} H v {hvp(layer, x, v).numpy().round(3)}"
          f"  difference of gradients {(change / (2 * h)).numpy().round(3)}")
