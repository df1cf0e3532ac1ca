"""The elementwise square of [1, 2, 3]: one product, no Jacobian."""

import tensorflow as tf


@tf.custom_gradient
def square(x):
    y = x * x
    tf.print("forward  x =", x, " y =", y)

    def grad(upstream):
        local = 2.0 * x
        downstream = upstream * local
        tf.print("backward upstream =", upstream,
                 " local =", local, " downstream =", downstream)
        tf.print("shapes   upstream", tf.shape(upstream), " local",
                 tf.shape(local), " downstream", tf.shape(downstream))
        return downstream

    return y, grad


x = tf.constant([1.0, 2.0, 3.0])
w = tf.constant([1.0, 10.0, 100.0])

print("gradient of y, a vector")
with tf.GradientTape() as tape:
    tape.watch(x)
    y = square(x)
print("dL/dx =", tape.gradient(y, x).numpy())

print("gradient of a weighted sum of y, a scalar")
with tf.GradientTape() as tape:
    tape.watch(x)
    loss = tf.reduce_sum(w * square(x))
print("dL/dx =", tape.gradient(loss, x).numpy())
