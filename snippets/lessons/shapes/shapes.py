"""Scaled row sums: shapes and dtypes of inputs, output and gradients."""

import tensorflow as tf


def kind(tensor):
    return f"{list(tensor.shape)} {tensor.dtype.name}"


# truth: s.shape == []
@tf.custom_gradient
def row_sums(s, x):
    r = tf.reduce_sum(x, axis=1)
    y = s * r
    tf.print("forward  r =", r, " y =", y)

    def grad(upstream):
        downstream_s = tf.reduce_sum(upstream * r)
        downstream_x = s * upstream[:, tf.newaxis] * tf.ones_like(x)
        tf.print("backward upstream =", upstream)
        tf.print("downstream_s =", downstream_s)
        tf.print("downstream_x =")
        tf.print(downstream_x)
        return downstream_s, downstream_x

    return y, grad


s = tf.constant(2.0)
x = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
with tf.GradientTape() as tape:
    tape.watch([s, x])
    y = row_sums(s, x)
    loss = tf.reduce_sum(y * [1.0, 10.0])

ds, dx = tape.gradient(loss, [s, x])
print("y:", kind(y))
print("s:", kind(s), " gradient of s:", kind(ds))
print("x:", kind(x), " gradient of x:", kind(dx))
