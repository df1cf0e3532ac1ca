"""Lambert's function: the y with y exp(y) = z, and its gradient."""

import tensorflow as tf


# truth: z > 0
@tf.custom_gradient
def lambert(z):
    start = tf.stop_gradient(z)
    y = tf.math.log1p(start)
    for _ in range(20):
        y -= (y - start * tf.exp(-y)) / (1.0 + y)

    def grad(upstream):
        y = lambert(z)
        return upstream / ((1.0 + y) * tf.exp(y))

    return y, grad


z = tf.constant([0.5, 1.0, 10.0], tf.float64)
with tf.GradientTape() as outer:
    outer.watch(z)
    with tf.GradientTape() as tape:
        tape.watch(z)
        y = lambert(z)
    first = tape.gradient(y, z)
second = outer.gradient(first, z)
print("y         ", y.numpy().round(6))
print("y exp(y)  ", (y * tf.exp(y)).numpy().round(6))
print("first     ", first.numpy().round(6))
h = 1e-4
plus, minus = lambert(z + h), lambert(z - h)
print("difference", ((plus - minus) / (2.0 * h)).numpy().round(6))
print("second    ", second.numpy().round(5))
print("difference", ((plus - 2.0 * y + minus) / h**2).numpy().round(5))
