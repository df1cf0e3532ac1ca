"""A plain function has the default, and the decorated one captures it."""

import tensorflow as tf


def scaled(x, factor=2.0):
    @tf.custom_gradient
    def rule(x):
        def grad(upstream):
            return upstream * factor

        return factor * x, grad

    return rule(x)


def plain(x, factor=2.0):
    return factor * x


x = tf.constant(5.0)
for function in scaled, plain:
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        ys = function(x), function(x, 3.0), function(x, factor=4.0)
    print(f"{function.__name__:6}",
          *[tape.gradient(y, x).numpy() for y in ys])
