"""Deliberately wrong: tf.cond makes one decision, but x has three elements."""
# tracebook: raises ValueError

import tensorflow as tf


def bend(x):
    return tf.cond(x > 0.0, lambda: 2.0 * x, lambda: x)


print("one element:   ", bend(tf.constant(1.0)).numpy())
print("three elements:", bend(tf.constant([-1.0, 0.0, 1.0])).numpy())
