"""Softsign from operations that have second derivatives."""

import tensorflow as tf


def softsign(x):
    return x / (1.0 + tf.abs(x))


def slope(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = softsign(x)
    return tape.gradient(y, x)


x = tf.constant(1.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    first = slope(x)
print("first: ", first.numpy(), " second:", tape.gradient(first, x).numpy())
s = (1.0 + x).numpy()
print("by hand:", s ** -2.0, "", -2.0 * s ** -3.0)
