"""One custom gradient at work: L = ¾ y² and y = x², at x = 2."""

import tensorflow as tf


@tf.custom_gradient
def square(x):
    def grad(upstream):
        local = 2.0 * x
        downstream = upstream * local
        tf.print("upstream =", upstream, " local =", local,
                 " downstream =", downstream)
        return downstream

    return x * x, grad


x = tf.constant(2.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    loss = 0.75 * square(x) ** 2

print("dL/dx =", tape.gradient(loss, x).numpy())
