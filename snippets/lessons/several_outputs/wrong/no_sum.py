"""Deliberately wrong: y reaches the loss twice, but grad returns one term."""

import tensorflow as tf


@tf.custom_gradient
def both(x, y):
    z = x * y + tf.sin(x)
    w = y * y

    def grad(upstream_z, upstream_w):
        downstream_x = upstream_z * (y + tf.cos(x))
        downstream_y = upstream_w * 2.0 * y
        return downstream_x, downstream_y

    return (z, w), grad


def plain(x, y):
    return x * y + tf.sin(x), y * y


def gradient(function, loss):
    x, y = tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        value = loss(*function(x, y))
    return tape.gradient(value, y).numpy()


def only_w(z, w):
    return w


def weighted(z, w):
    return 2.0 * z + 5.0 * w


for name, loss in (("w", only_w), ("2z + 5w", weighted)):
    print("L =", name, " custom: dL/dy =", gradient(both, loss),
          " autodiff: dL/dy =", gradient(plain, loss))
