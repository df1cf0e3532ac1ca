"""Deliberately wrong: a real gradient for a complex input."""

import tensorflow as tf


@tf.custom_gradient
def energy(z):
    def grad(upstream):
        return 2.0 * upstream * tf.abs(z)

    return tf.abs(z)**2, grad


def of_parts(x, y):
    return energy(tf.complex(x, y))


def plain(x, y):
    return tf.abs(tf.complex(x, y))**2


x, y = tf.constant(3.0), tf.constant(4.0)
for function in of_parts, plain:
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        loss = function(x, y)
    dx, dy = tape.gradient(loss, [x, y])
    print(f"{function.__name__:8} to x: {dx.numpy()}  to y: {dy.numpy()}")
