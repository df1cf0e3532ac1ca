"""Deliberately wrong: grad has an if on a tensor."""
# tracebook: raises ValueError

import tensorflow as tf


@tf.custom_gradient
def leaky(x):
    def grad(upstream):
        if x > 0:
            return upstream
        return 0.25 * upstream

    return tf.nn.leaky_relu(x, 0.25), grad


x = tf.constant([-1.0, 1.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = leaky(x)
tape.gradient(y, x)
