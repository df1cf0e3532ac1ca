"""Deliberately wrong: grad expects z first, but the key w sorts before z."""

import tensorflow as tf


@tf.custom_gradient
def both(x, y):
    z = x * y + tf.sin(x)
    w = y * y

    def grad(upstream_z, upstream_w):
        tf.print("upstream_z =", upstream_z, " upstream_w =", upstream_w)
        downstream_x = upstream_z * (y + tf.cos(x))
        downstream_y = upstream_z * x + upstream_w * 2.0 * y
        return downstream_x, downstream_y

    return {"z": z, "w": w}, grad


x, y = tf.constant(2.0), tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch([x, y])
    outputs = both(x, y)
    loss = 2.0 * outputs["z"] + 5.0 * outputs["w"]

dx, dy = tape.gradient(loss, [x, y])
print("custom:   dL/dx =", dx.numpy(), " dL/dy =", dy.numpy())
print("by hand:  dL/dx =", (2.0 * (y + tf.cos(x))).numpy(),
      " dL/dy =", (2.0 * x + 5.0 * 2.0 * y).numpy())
