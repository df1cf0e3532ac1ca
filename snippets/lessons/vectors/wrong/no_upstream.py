"""Deliberately wrong: no upstream in grad; right only if upstream is ones."""

import tensorflow as tf


@tf.custom_gradient
def square(x):
    def grad(upstream):
        local = 2.0 * x
        downstream = local
        tf.print("backward upstream =", upstream,
                 " local =", local, " downstream =", downstream)
        return downstream

    return x * x, grad


x = tf.constant([1.0, 2.0, 3.0])
weights = tf.constant([1.0, 10.0, 100.0])

with tf.GradientTape() as tape:
    tape.watch(x)
    y = square(x)
print("vector y     ", tape.gradient(y, x).numpy())

with tf.GradientTape() as tape:
    tape.watch(x)
    loss = tf.reduce_sum(weights * square(x))
print("weighted loss", tape.gradient(loss, x).numpy(),
      " but weights * 2 x =", (weights * 2.0 * x).numpy())
