"""The gradient of the scalar is the sum over its copies."""

import tensorflow as tf


# truth: factor.shape == []
@tf.custom_gradient
def scaled(x, factor):
    def grad(upstream):
        return upstream * factor, tf.reduce_sum(upstream * x)

    return x * factor, grad


x, factor = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant(2.0)
for function in scaled, tf.multiply:
    with tf.GradientTape() as tape:
        tape.watch(factor)
        y = function(x, factor)
    gradient = tape.gradient(y, factor)
    assert gradient.shape == factor.shape
    print(f"{function.__name__:8}", gradient.numpy())
