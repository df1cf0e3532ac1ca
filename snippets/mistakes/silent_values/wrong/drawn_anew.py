"""Deliberately wrong: grad draws a second mask."""

import tensorflow as tf


def mask(x):
    return tf.cast(tf.random.uniform(tf.shape(x)) < 0.5, x.dtype)


@tf.custom_gradient
def dropped(x):
    def grad(upstream):
        return upstream * mask(x)

    return x * mask(x), grad


tf.random.set_seed(1)
x = tf.ones([8])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = dropped(x)
print("custom", tape.gradient(y, x).numpy())
print("right ", (y / x).numpy())
