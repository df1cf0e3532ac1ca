"""Two inputs, two gradients: z = x y at (2, 3)."""

import tensorflow as tf


# truth: x.shape == y.shape
@tf.custom_gradient
def product(x, y):
    z = x * y
    tf.print("forward  x =", x, " y =", y, " z =", z)

    def grad(upstream):
        local_x, local_y = y, x
        downstream_x = upstream * local_x
        downstream_y = upstream * local_y
        tf.print("backward to x  upstream =", upstream,
                 " local =", local_x, " downstream =", downstream_x)
        tf.print("backward to y  upstream =", upstream,
                 " local =", local_y, " downstream =", downstream_y)
        return downstream_x, downstream_y

    return z, grad


x = tf.constant(2.0)
y = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch([x, y])
    z = product(x, y)

dz_dx, dz_dy = tape.gradient(z, [x, y])
print("dz/dx =", dz_dx.numpy(), " dz/dy =", dz_dy.numpy())
