"""Deliberately wrong: two outputs and grad, as three values."""
# tracebook: raises ValueError

import tensorflow as tf


@tf.custom_gradient
def sum_and_product(x, y):
    def grad(upstream_s, upstream_p):
        return upstream_s + upstream_p * y, upstream_s + upstream_p * x

    return x + y, x * y, grad


x, y = tf.constant(2.0), tf.constant(3.0)
sum_and_product(x, y)
