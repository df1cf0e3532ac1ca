"""Deliberately wrong: three gradients of the right shape, summed wrongly."""

import tensorflow as tf


def product_with(gradient_of_b):
    @tf.custom_gradient
    def product(x, b):
        def grad(upstream):
            return upstream * b, gradient_of_b(upstream, x)

        return x * b, grad

    return product


rules = {
    "autodiff": lambda x, b: x * b,
    "mean": product_with(lambda u, x: tf.reduce_mean(u * x, axis=0)),
    "sums first": product_with(
        lambda u, x: tf.reduce_sum(u, axis=0) * tf.reduce_sum(x, axis=0)),
    "other axis": product_with(lambda u, x: tf.reduce_sum(u * x, axis=1))}

x = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]])
upstream = tf.constant([[1.0] * 3, [10.0] * 3, [100.0] * 3])
for name, function in rules.items():
    b = tf.constant([2.0, 3.0, 4.0])
    with tf.GradientTape() as tape:
        tape.watch(b)
        y = function(x, b)
    downstream_b = tape.gradient(y, b, output_gradients=upstream)
    print(f"{name:10} {downstream_b.shape} {downstream_b.numpy()}")
