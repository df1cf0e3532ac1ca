"""The gradient is summed, and the variable is updated."""

import tensorflow as tf


# truth: factor.shape == []
@tf.custom_gradient
def scaled(x, factor):
    def grad(upstream):
        return upstream * factor, tf.reduce_sum(upstream * x)

    return x * factor, grad


x, factor = tf.ones([2, 3]), tf.Variable(2.0)
for function in scaled, tf.multiply:
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(function(x, factor))
    gradient = tape.gradient(loss, factor)
    assert gradient.shape == factor.shape
    print(f"{function.__name__:8}", gradient.numpy())
factor.assign_sub(0.125 * gradient)
print("factor  ", factor.numpy())
