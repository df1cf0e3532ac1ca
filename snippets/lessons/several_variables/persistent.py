"""One call with a list, and two calls on a persistent tape."""

import tensorflow as tf


# truth: x.shape == y.shape
@tf.custom_gradient
def product(x, y):
    def grad(upstream):
        tf.print("grad is called")
        return upstream * y, upstream * x

    return x * y, grad


x = tf.constant(2.0)
y = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch([x, y])
    z = product(x, y)
print("one call with a list")
dz_dx, dz_dy = tape.gradient(z, [x, y])
print("dz/dx =", dz_dx.numpy(), " dz/dy =", dz_dy.numpy())

with tf.GradientTape(persistent=True) as tape:
    tape.watch([x, y])
    z = product(x, y)
print("two calls on a persistent tape")
print("dz/dx =", tape.gradient(z, x).numpy())
print("dz/dy =", tape.gradient(z, y).numpy())
