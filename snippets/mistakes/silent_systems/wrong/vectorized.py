"""Deliberately wrong: the tape is outside tf.vectorized_map."""

import tensorflow as tf


# truth: the rule is right; upstream becomes -upstream
@tf.custom_gradient
def reverse(x):
    return tf.identity(x), lambda upstream: -upstream


def mapped(x):
    return tf.vectorized_map(reverse, x)


x = tf.constant([1.0, 2.0])
for name, function in (("wrong", mapped), ("right", reverse)):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    print(name, tape.gradient(y, x).numpy())
