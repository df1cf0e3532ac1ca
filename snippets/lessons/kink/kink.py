"""A kink: 2x for x > 0 and x otherwise, with a chosen slope at 0."""

import tensorflow as tf


@tf.custom_gradient
def bend(x):
    y = tf.where(x > 0.0, 2.0 * x, x)
    tf.print("forward  x =", x, " y =", y)

    def grad(upstream):
        local = tf.where(x > 0.0, 2.0, 1.0)
        downstream = upstream * local
        tf.print("backward x =", x, " upstream =", upstream,
                 " local =", local, " downstream =", downstream)
        return downstream

    return y, grad


x = tf.constant([-1.0, 0.0, 1.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = bend(x)

print("y        =", y.numpy())
print("gradient =", tape.gradient(y, x).numpy())
