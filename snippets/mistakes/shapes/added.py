"""Both gradients have the shape of the input, and are added."""

import tensorflow as tf


# truth: factor.shape == []
@tf.custom_gradient
def scaled(x, factor):
    def grad(upstream):
        return upstream * factor, tf.reduce_sum(upstream * x)

    return x * factor, grad


x, factor = tf.ones([2, 3]), tf.constant(2.0)
for function in scaled, tf.multiply:
    with tf.GradientTape() as tape:
        tape.watch(factor)
        y = tf.reduce_sum(function(x, factor)) + factor**2
    print(f"{function.__name__:8}", tape.gradient(y, factor).numpy())
