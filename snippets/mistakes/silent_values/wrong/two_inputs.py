"""Deliberately wrong: the gradients of two inputs are swapped."""

import tensorflow as tf


@tf.custom_gradient
def ratio(x, y):
    def grad(upstream):
        return -upstream * x / y**2, upstream / y

    return x / y, grad


x, y = tf.constant(6.0), tf.constant(2.0)
for function in ratio, tf.divide:
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = function(x, y)
    dx, dy = tape.gradient(z, [x, y])
    print(f"{function.__name__:6} to x: {dx.numpy()}  to y: {dy.numpy()}")
