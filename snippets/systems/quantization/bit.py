"""A weight of one bit, with the derivative of a clipped line."""

import tensorflow as tf


# truth: the gradient of tf.clip_by_value(w, -1.0, 1.0)
@tf.custom_gradient
def binary(w):
    q = tf.where(w < 0.0, tf.constant(-1.0, w.dtype), 1.0)

    def grad(upstream):
        local = tf.cast(tf.abs(w) <= 1.0, w.dtype)
        downstream = upstream * local
        tf.print("upstream  ", upstream)
        tf.print("local     ", local)
        tf.print("downstream", downstream)
        return downstream

    return q, grad


w = tf.constant([-2.0, -1.0, -0.5, 0.0, 0.5, 1.5], tf.float64)
with tf.GradientTape() as tape:
    tape.watch(w)
    q = binary(w)
    loss = tf.reduce_sum(tf.range(1.0, 7.0, dtype=w.dtype) * q)
print("w         ", w.numpy())
print("q         ", q.numpy())
gradient = tape.gradient(loss, w)
with tf.GradientTape() as tape:
    tape.watch(w)
    line = tf.clip_by_value(w, -1.0, 1.0)
print("of line   ", tape.gradient(line, w).numpy())
