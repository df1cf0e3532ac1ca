"""Deliberately wrong: tape.gradient for a gradient of each example."""

import tensorflow as tf

x, w = tf.constant([[1.0], [2.0], [3.0]]), tf.constant([[1.0]])
with tf.GradientTape(persistent=True) as tape:
    tape.watch(w)
    losses = tf.reduce_sum((x @ w) ** 2, axis=1)
print("losses", losses.numpy())
print("gradient", tape.gradient(losses, w).numpy().ravel())
print("jacobian", tape.jacobian(losses, w).numpy().ravel())
