"""Deliberately wrong: a second derivative through tf.nn.softsign."""
# tracebook: raises LookupError

import tensorflow as tf


def slope(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.softsign(x)
    return tape.gradient(y, x)


x = tf.constant(1.0)
print("first:", slope(x).numpy())
with tf.GradientTape() as tape:
    tape.watch(x)
    first = slope(x)
tape.gradient(first, x)
