"""With two tf.where, the unused formula is computed at 1 instead of 0."""

import tensorflow as tf


@tf.custom_gradient
def root(x):
    def grad(upstream):
        safe = tf.where(x > 0.0, x, 1.0)
        return upstream * tf.where(x > 0.0, 0.5 / tf.sqrt(safe), 0.0)

    return tf.sqrt(x), grad


def slope(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = root(x)
    return tape.gradient(y, x)


x = tf.constant([0.0, 4.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    first = slope(x)
second = tape.gradient(first, x)
print("first: ", first.numpy())
print("second:", second.numpy())
difference = (slope(x[1] + 0.01) - slope(x[1] - 0.01)) / 0.02
print(f"difference at 4: {difference:.4f}")
assert not tf.reduce_any(tf.math.is_nan(second))
