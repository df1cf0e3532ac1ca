"""Deliberately wrong: grad computes the gradient and doesn't return it."""

import tensorflow as tf


@tf.custom_gradient
def square(x):
    def grad(upstream):
        upstream * 2.0 * x

    return x**2, grad


x = tf.constant(3.0)
for name, function in (("custom", square), ("autodiff", tf.square)):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    gradient = tape.gradient(y, x)
    print(f"{name:8}",
          None if gradient is None else gradient.numpy())
