"""The branch returns a copy of the argument."""

import tensorflow as tf


@tf.custom_gradient
def both(x, outer):
    def grad(upstream, upstream_outer):
        return 3.0 * upstream, upstream_outer

    return (3.0 * x, tf.identity(outer)), grad


def shifted(x):
    outer = 2.0 * x
    return tf.cond(x > 0.0, lambda: sum(both(x, outer)), lambda: x)


def plain(x):
    return tf.cond(x > 0.0, lambda: 3.0 * x + 2.0 * x, lambda: x)


@tf.function
def gradient(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


x = tf.constant(1.0)
print("custom  ", gradient(shifted, x).numpy())
print("autodiff", gradient(plain, x).numpy())
