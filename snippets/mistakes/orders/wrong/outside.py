"""Deliberately wrong: the first gradient is outside of the outer tape."""

import tensorflow as tf

x = tf.constant(2.0)
with tf.GradientTape() as outer:
    outer.watch(x)
    with tf.GradientTape() as inner:
        inner.watch(x)
        y = x ** 3.0
first = inner.gradient(y, x)
print("two tapes:", first.numpy(), outer.gradient(first, x))

with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y = x ** 3.0
first = tape.gradient(y, x)
print("one persistent tape:", first.numpy(), tape.gradient(first, x))
print("right:", (3.0 * x * x).numpy(), (6.0 * x).numpy())
