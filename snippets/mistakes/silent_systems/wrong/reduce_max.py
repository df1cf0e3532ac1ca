"""Deliberately wrong: the gradient of a maximum with a NaN, under XLA."""

import tensorflow as tf


def maximum(x):
    return tf.reduce_max(x)


def gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = maximum(x)
    return y, tape.gradient(y, x)


x = tf.constant([1.0, 2.0, float("nan")])
for name, function in (
        ("eager", gradient), ("graph", tf.function(gradient)),
        ("XLA", tf.function(gradient, jit_compile=True))):
    y, downstream = function(x)
    print(f"{name:5}  maximum {y.numpy()}  gradient {downstream.numpy()}")
