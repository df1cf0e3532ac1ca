"""Deliberately wrong: right gradients, wrong order, and no error."""

import tensorflow as tf


@tf.custom_gradient
def product(x, y):
    def grad(upstream):
        downstream_x = upstream * y
        downstream_y = upstream * x
        tf.print("backward to x  downstream =", downstream_x)
        tf.print("backward to y  downstream =", downstream_y)
        return downstream_y, downstream_x

    return x * y, grad


for values in ((2.0, 3.0), (3.0, 3.0)):
    x, y = (tf.constant(value) for value in values)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = product(x, y)
    dz_dx, dz_dy = tape.gradient(z, [x, y])
    print("at", values, " dz/dx =", dz_dx.numpy(), " dz/dy =", dz_dy.numpy())
