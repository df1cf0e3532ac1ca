"""Deliberately wrong: the gradients of the variables are in a tuple."""
# tracebook: raises TypeError

import tensorflow as tf

w = tf.Variable(2.0)


@tf.custom_gradient
def product(x):
    def grad(upstream, variables):
        return upstream * w, (upstream * x,)

    return w * x, grad


x = tf.constant(3.0)
with tf.GradientTape() as tape:
    y = product(x)
tape.gradient(y, w)
