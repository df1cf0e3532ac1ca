"""Deliberately wrong: grad makes float32 numbers for a float16 input."""
# tracebook: raises InvalidArgumentError

import tensorflow as tf


@tf.custom_gradient
def leaky(x):
    def grad(upstream):
        return upstream * tf.where(x > 0, 1.0, 0.25)

    return tf.nn.leaky_relu(x, 0.25), grad


x = tf.constant([-1.0, 1.0], tf.float16)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = leaky(x)
tape.gradient(y, x)
