"""Deliberately wrong: batch_jacobian, but outputs depend on other examples."""

import tensorflow as tf


def centered(x):
    return x - tf.reduce_mean(x, axis=0)


x = tf.constant([[1.0], [2.0], [6.0]])
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y = centered(x)
print("wrong", tape.batch_jacobian(y, x).numpy().ravel())
full = tape.jacobian(y, x)[:, 0, :, 0]
print("right", tf.linalg.diag_part(full).numpy())
