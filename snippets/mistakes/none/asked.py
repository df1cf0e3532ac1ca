"""Watched first, computed inside, and asked for what was used."""

import tensorflow as tf


def slope(function, x):
    x = tf.cast(x, tf.float32)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    found = tape.gradient(y, x)
    assert found is not None, "no path from x to y on this tape"
    return found.numpy()


print("x * x, at 3.0:", slope(lambda x: x * x, tf.constant(3.0)))
print("x * x, at 3:  ", slope(lambda x: x * x, tf.constant(3)))
try:
    slope(tf.round, tf.constant(3.0))
except AssertionError as error:
    print("tf.round:     ", error)
