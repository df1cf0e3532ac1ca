"""One upstream gradient for each of two outputs."""

import tensorflow as tf


@tf.custom_gradient
def powers(x):
    def grad(upstream_square, upstream_cube):
        return upstream_square * 2.0 * x + upstream_cube * 3.0 * x**2

    return (x**2, x**3), grad


def plain(x):
    return x**2, x**3


x = tf.constant(2.0)
for name, function in (("custom", powers), ("autodiff", plain)):
    with tf.GradientTape() as tape:
        tape.watch(x)
        square, cube = function(x)
        loss = square + 10.0 * cube
    print(f"{name:8}", tape.gradient(loss, x).numpy())
