"""Deliberately wrong: the gradient of a scalar keeps the broadcast shape."""

import tensorflow as tf


@tf.custom_gradient
def scaled(x, factor):
    def grad(upstream):
        return upstream * factor, upstream * x

    return x * factor, grad


x, factor = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant(2.0)
for function in scaled, tf.multiply:
    with tf.GradientTape() as tape:
        tape.watch(factor)
        y = function(x, factor)
    print(f"{function.__name__:8}", tape.gradient(y, factor).numpy().tolist())
