"""Deliberately wrong: a gradient function forgets upstream, silently."""

import tensorflow as tf


@tf.custom_gradient
def square(x):
    y = x * x

    def grad(upstream):
        local = 2.0 * x
        downstream = local
        tf.print("backward x =", x, " upstream =", upstream,
                 " local =", local, " downstream =", downstream)
        return downstream

    return y, grad


x = tf.constant(2.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = square(square(square(x)))

print("dy/dx =", tape.gradient(y, x).numpy(),
      " but 8 x**7 =", 8.0 * x.numpy() ** 7)
