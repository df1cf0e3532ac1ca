"""Deliberately wrong: a second derivative of 0 is returned as None."""
# tracebook: raises ValueError

import tensorflow as tf


# truth: the rule is right
@tf.custom_gradient
def double(x):
    return 2.0 * x, lambda upstream: 2.0 * upstream


def slope(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = double(x)
    return tape.gradient(y, x)


x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    first = slope(x)
second = tape.gradient(first, x)
print("first:", first.numpy(), " second:", second)
tf.square(second)
