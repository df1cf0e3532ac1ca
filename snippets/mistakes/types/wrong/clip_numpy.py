"""Deliberately wrong: grad reads the value of a tensor, in a graph."""

import tensorflow as tf


# truth: eager only
@tf.custom_gradient
def clipped(x):
    def grad(upstream):
        most = max(1.0, tf.norm(upstream).numpy())
        return upstream / most

    return tf.identity(x), grad


def gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum([3.0, 4.0] * clipped(x))
    return tape.gradient(y, x)


x = tf.constant([1.0, 1.0])
print("eager:", gradient(x).numpy())
# tracebook: raises AttributeError
tf.function(gradient, autograph=False)(x)
