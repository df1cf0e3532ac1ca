"""A tape in grad runs the forward pass again."""

import tensorflow as tf


def plain(x):
    return x**3


@tf.custom_gradient
def cube(x):
    def grad(upstream):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = plain(x)
        return tape.gradient(y, x, upstream)

    return plain(x), grad


def gradient(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x).numpy()


x = tf.constant(2.0)
print("eager   ", gradient(cube, x))
print("graph   ", gradient(tf.function(lambda x: cube(x)), x))
print("autodiff", gradient(plain, x))
