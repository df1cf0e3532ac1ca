"""Two outputs, one gradient function: z = xy + sin x and w = y² at (2, 3)."""

import tensorflow as tf


# truth: x.shape == y.shape
@tf.custom_gradient
def both(x, y):
    z = x * y + tf.sin(x)
    w = y * y
    tf.print("forward  z =", z, " w =", w)

    def grad(upstream_z, upstream_w):
        # One row for each output, one column for each input.
        local = [[y + tf.cos(x), x],
                 [tf.zeros_like(x), 2.0 * y]]
        downstream_x = upstream_z * local[0][0] + upstream_w * local[1][0]
        downstream_y = upstream_z * local[0][1] + upstream_w * local[1][1]
        tf.print("backward upstream_z   =", upstream_z,
                 " upstream_w   =", upstream_w)
        tf.print("         local =", local)
        tf.print("         downstream_x =", downstream_x,
                 " downstream_y =", downstream_y)
        return downstream_x, downstream_y

    return (z, w), grad


x, y = tf.constant(2.0), tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch([x, y])
    z, w = both(x, y)
    loss = z + w

dx, dy = tape.gradient(loss, [x, y])
print("dL/dx =", dx.numpy(), " y + cos x =", (y + tf.cos(x)).numpy())
print("dL/dy =", dy.numpy(), " x + 2y    =", (x + 2.0 * y).numpy())
