"""Deliberately wrong: a TensorFlow 1.x variable in no collection."""
# tracebook: raises ValueError

import tensorflow as tf


@tf.custom_gradient
def product(x):
    def grad(upstream, variables=None):
        return upstream * w, [upstream * x]

    return w * x, grad


with tf.Graph().as_default():
    w = tf.compat.v1.get_variable(
        "w", initializer=2.0, use_resource=True, collections=[])
    x = tf.constant(3.0)
    product(x)
