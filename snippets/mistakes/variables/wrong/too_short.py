"""Deliberately wrong: two variables, but a list of one gradient."""
# tracebook: raises ValueError

import tensorflow as tf

slope, offset = tf.Variable(2.0), tf.Variable(1.0)


@tf.custom_gradient
def line(x):
    def grad(upstream, variables):
        return upstream * slope, [upstream * x]

    return slope * x + offset, grad


x = tf.constant(3.0)
with tf.GradientTape() as tape:
    y = line(x)
tape.gradient(y, slope)
