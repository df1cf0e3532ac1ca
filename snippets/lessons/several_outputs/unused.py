"""The upstream gradients of two outputs, for five losses."""

import tensorflow as tf


# truth: x.shape == y.shape
@tf.custom_gradient
def both(x, y):
    z = x * y + tf.sin(x)
    w = y * y

    def grad(upstream_z, upstream_w):
        tf.print("  upstream_z =", upstream_z, " upstream_w =", upstream_w)
        downstream_x = upstream_z * (y + tf.cos(x))
        downstream_y = upstream_z * x + upstream_w * 2.0 * y
        return downstream_x, downstream_y

    return (z, w), grad


def gradient(loss):
    x, y = tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z, w = both(x, y)
        value = loss(z, w)
    dx, dy = tape.gradient(value, [x, y])
    print("  dL/dx =", dx.numpy(), " dL/dy =", dy.numpy())


print("L = 2z + 5w")
gradient(lambda z, w: 2.0 * z + 5.0 * w)
print("L = z w")
gradient(lambda z, w: z * w)
print("L = z, and w is unused")
gradient(lambda z, w: z)
print("L = w, and z is unused")
gradient(lambda z, w: w)
print("L = z + stop_gradient(w)")
gradient(lambda z, w: z + tf.stop_gradient(w))
