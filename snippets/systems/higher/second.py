"""The gradient function of the cube, and its own gradient function."""

import tensorflow as tf


# truth: x.shape == u.shape
@tf.custom_gradient
def cube_gradient(x, u):
    z = 3.0 * x ** 2.0 * u
    tf.print("grad  x =", x, " upstream =", u, " local =", 3.0 * x ** 2.0,
             " downstream =", z)

    def grad(upstream):
        downstream_x = upstream * 6.0 * x * u
        downstream_u = upstream * 3.0 * x ** 2.0
        tf.print("gradient of grad  u =", u, " upstream =", upstream,
                 " downstream_x =", downstream_x,
                 " downstream_u =", downstream_u)
        return downstream_x, downstream_u

    return z, grad


@tf.custom_gradient
def cube(x):
    return x ** 3.0, lambda upstream: cube_gradient(x, upstream)


def slope(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        L = 0.5 * (cube(x) - 5000.0) ** 2.0
    g = tape.gradient(L, x)
    tf.print("first derivative of the loss =", g)
    return g


x = tf.constant(10.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    g = slope(x)
tf.print("second derivative of the loss =", tape.gradient(g, x))
