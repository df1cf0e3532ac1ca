"""Deliberately wrong: the gradient of an input of shape [1] is a scalar."""
# tracebook: raises ValueError

import tensorflow as tf


@tf.custom_gradient
def shifted(x, offset):
    def grad(upstream):
        return upstream, tf.reduce_sum(upstream)

    return x + offset, grad


x, offset = tf.ones([2, 3]), tf.constant([2.0])
with tf.GradientTape() as tape:
    tape.watch(offset)
    y = tf.function(lambda: shifted(x, offset))()
