"""Deliberately wrong: one tf.where, which fixes the first derivative only."""

import tensorflow as tf


# truth: the rule is right
@tf.custom_gradient
def root(x):
    def grad(upstream):
        return upstream * tf.where(x > 0.0, 0.5 / tf.sqrt(x), 0.0)

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
print("first: ", first.numpy())
print("second:", tape.gradient(first, x).numpy())
