"""Deliberately wrong: in a branch, grad captures an eager tensor."""
# tracebook: raises AttributeError

import tensorflow as tf

scale = tf.constant(2.0)


# truth: the rule is right
@tf.custom_gradient
def scaled(x):
    return scale * x, lambda upstream: upstream * scale


def branch(x):
    return tf.cond(x > 0.0, lambda: scaled(x), lambda: x)


@tf.function
def gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = branch(x)
    return tape.gradient(y, x)


x = tf.constant(3.0)
gradient(x)
