"""Deliberately wrong: grad has no parameter for the variable."""
# tracebook: raises TypeError

import tensorflow as tf

w = tf.Variable(2.0, name="w")


@tf.custom_gradient
def product(x):
    def grad(upstream):
        return upstream * w

    return w * x, grad


x = tf.constant(3.0)
product(x)
