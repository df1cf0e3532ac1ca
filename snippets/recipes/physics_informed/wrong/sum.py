"""Deliberately wrong: one tape for two inputs gives u_xx + u_tx."""

import tensorflow as tf

point = tf.constant([[2.0, 3.0]])  # x, t
with tf.GradientTape() as outer:
    outer.watch(point)
    with tf.GradientTape() as inner:
        inner.watch(point)
        x, t = point[:, 0], point[:, 1]
        u = x**3 * t
    first = inner.gradient(u, point)
second = outer.gradient(first, point)
print("u_x, u_t:", first.numpy())
print("gradient of both:", second.numpy())

x, t = tf.constant([2.0]), tf.constant([3.0])
with tf.GradientTape() as outer:
    outer.watch(x)
    with tf.GradientTape() as inner:
        inner.watch(x)
        u = x**3 * t
    u_x = inner.gradient(u, x)
print("u_xx:", outer.gradient(u_x, x).numpy())
