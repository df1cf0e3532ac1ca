"""A ragged tensor is one input: one upstream, one gradient."""

import tensorflow as tf


@tf.custom_gradient
def cube(x):
    def grad(upstream):
        return upstream * 3.0 * x * x

    return x * x * x, grad


def plain(x):
    return x * x * x


def gradient(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x.values)
        y = function(x)
    return tape.gradient(y, x)


x = tf.ragged.constant([[1.0, 2.0], [3.0]])
for name, function in (("custom, eager", cube),
                       ("custom, graph", tf.function(cube)),
                       ("x * x * x", plain)):
    print(name, gradient(function, x).to_list())
