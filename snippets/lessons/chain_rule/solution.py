"""Solution: two gradient functions in one chain, y = sin(x²) at x = 2."""

import tensorflow as tf


@tf.custom_gradient
def square(x):
    y = x * x

    def grad(upstream):
        local = 2.0 * x
        downstream = upstream * local
        tf.print("square x =", x, " upstream =", upstream,
                 " local =", local, " downstream =", downstream)
        return downstream

    return y, grad


@tf.custom_gradient
def sine(x):
    y = tf.sin(x)

    def grad(upstream):
        local = tf.cos(x)
        downstream = upstream * local
        tf.print("sine   x =", x, " upstream =", upstream,
                 " local =", local, " downstream =", downstream)
        return downstream

    return y, grad


x = tf.constant(2.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = sine(square(x))

print("dy/dx        =", tape.gradient(y, x).numpy())
print("2 x cos(x^2) =", (2.0 * x * tf.cos(x * x)).numpy())
