"""Deliberately wrong: the outputs and grad are returned as three values."""

# tracebook: raises ValueError

import tensorflow as tf


@tf.custom_gradient
def both(x, y):
    z = x * y + tf.sin(x)
    w = y * y
    tf.print("forward  z =", z, " w =", w)

    def grad(upstream_z, upstream_w):
        downstream_x = upstream_z * (y + tf.cos(x))
        downstream_y = upstream_z * x + upstream_w * 2.0 * y
        return downstream_x, downstream_y

    return z, w, grad


z, w = both(tf.constant(2.0), tf.constant(3.0))
