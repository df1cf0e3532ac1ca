"""Deliberately wrong: two outputs, but grad takes one upstream gradient."""

# tracebook: raises TypeError

import tensorflow as tf


@tf.custom_gradient
def both(x, y):
    z = x * y + tf.sin(x)
    w = y * y

    def grad(upstream):
        downstream_x = upstream * (y + tf.cos(x))
        downstream_y = upstream * (x + 2.0 * y)
        return downstream_x, downstream_y

    return (z, w), grad


x, y = tf.constant(2.0), tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch([x, y])
    z, w = both(x, y)
    loss = z + w

print("forward  z =", z.numpy(), " w =", w.numpy())
print("now the gradient")
tape.gradient(loss, [x, y])
