"""Deliberately wrong: gradients in the order of the forward pass."""

import tensorflow as tf

slope = tf.Variable(2.0, name="slope")
offset = tf.Variable(1.0, name="offset")


@tf.custom_gradient
def line(x):
    y = slope * x + offset

    def grad(upstream, variables):
        return upstream * slope, [tf.reduce_sum(upstream * x),
                                  tf.reduce_sum(upstream)]

    return y, grad


@tf.function
def step(x, target):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((line(x) - target) ** 2)
    gradients = tape.gradient(loss, [slope, offset])
    for variable, gradient in zip([slope, offset], gradients):
        variable.assign_sub(0.02 * gradient)
    return loss, gradients


x = tf.constant([1.0, 2.0, 3.0])
for n in range(401):
    loss, gradients = step(x, 3.0 * x)
    if n in (0, 1, 10, 100, 200, 400):
        print(f"step {n:3}  loss {loss:7.4f}  to slope {gradients[0]:8.4f}"
              f"  to offset {gradients[1]:8.4f}")
