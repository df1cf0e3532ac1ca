"""The gradient of a complex input is complex."""

import tensorflow as tf


@tf.custom_gradient
def energy(z):
    def grad(upstream):
        downstream = 2.0 * tf.cast(upstream, z.dtype) * z
        assert downstream.dtype == z.dtype
        return downstream

    return tf.abs(z)**2, grad


def plain(z):
    return tf.abs(z)**2


x, y = tf.constant(3.0), tf.constant(4.0)
for function in energy, plain:
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        loss = function(tf.complex(x, y))
    dx, dy = tape.gradient(loss, [x, y])
    print(f"{function.__name__:6} to x: {dx.numpy()}  to y: {dy.numpy()}")
