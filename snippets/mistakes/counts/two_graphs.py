"""The function returns what it computes; the other tensor is at hand."""

import tensorflow as tf


def shifted(x):
    outer = 2.0 * x

    @tf.custom_gradient
    def triple(x):
        def grad(upstream):
            return 3.0 * upstream

        return 3.0 * x, grad

    return tf.cond(x > 0.0, lambda: triple(x) + outer, lambda: x)


def plain(x):
    return tf.cond(x > 0.0, lambda: 3.0 * x + 2.0 * x, lambda: x)


@tf.function
def gradient(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


x = tf.constant(1.0)
print("rule    ", gradient(shifted, x).numpy())
print("autodiff", gradient(plain, x).numpy())
