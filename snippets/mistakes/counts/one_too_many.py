"""One input and one gradient, in a graph, compared with autodiff."""

import tensorflow as tf


@tf.custom_gradient
def double(x):
    def grad(upstream):
        return 2.0 * upstream

    return 2.0 * x, grad


def plain(x):
    return 2.0 * x


@tf.function
def gradient(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


x = tf.constant(3.0)
print("custom  ", gradient(lambda x: double(x), x).numpy())
print("autodiff", gradient(plain, x).numpy())
