"""Wrong on purpose: the forward pass creates a variable in each call."""
# tracebook: raises ValueError

import tensorflow as tf


@tf.function
@tf.custom_gradient
def scaled(x):
    w = tf.Variable(2.0)

    def grad(upstream, variables=None):
        return upstream * w, [tf.reduce_sum(upstream * x)]

    return w * x, grad


x = tf.constant(3.0)
scaled(x)
