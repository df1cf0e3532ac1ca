"""One tensor as both inputs of a product, and used once more."""

import tensorflow as tf


# truth: x.shape == y.shape
@tf.custom_gradient
def product(x, y):
    def grad(upstream):
        to_x, to_y = upstream * y, upstream * x
        tf.print("product  upstream =", upstream,
                 " downstream =", to_x, to_y)
        return to_x, to_y

    return x * y, grad


@tf.custom_gradient
def double(x):
    def grad(upstream):
        tf.print("double   upstream =", upstream,
                 " downstream =", 2.0 * upstream)
        return 2.0 * upstream

    return 2.0 * x, grad


x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    u = double(x)
    L = product(u, u) + u
print("dL/dx =", tape.gradient(L, x).numpy())
print("8 x + 2 =", (8.0 * x + 2.0).numpy())
