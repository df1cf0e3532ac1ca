"""Solution: polar to Cartesian coordinates, x = r cos θ and y = r sin θ."""

import tensorflow as tf


# truth: r.shape == theta.shape
@tf.custom_gradient
def cartesian(r, theta):
    x = r * tf.cos(theta)
    y = r * tf.sin(theta)

    def grad(upstream_x, upstream_y):
        downstream_r = (upstream_x * tf.cos(theta)
                        + upstream_y * tf.sin(theta))
        downstream_theta = (upstream_x * -r * tf.sin(theta)
                            + upstream_y * r * tf.cos(theta))
        tf.print("upstream_x   =", upstream_x, " upstream_y =", upstream_y)
        tf.print("downstream_r =", downstream_r,
                 " downstream_theta =", downstream_theta)
        return downstream_r, downstream_theta

    return (x, y), grad


r, theta = tf.constant(2.0), tf.constant(0.5)
with tf.GradientTape() as tape:
    tape.watch([r, theta])
    x, y = cartesian(r, theta)
    loss = x * y

print("x =", x.numpy(), " y =", y.numpy())
dr, dtheta = tape.gradient(loss, [r, theta])
print("dL/dr     =", dr.numpy(),
      " r sin 2theta    =", (r * tf.sin(2.0 * theta)).numpy())
print("dL/dtheta =", dtheta.numpy(),
      " r**2 cos 2theta =", (r**2 * tf.cos(2.0 * theta)).numpy())
