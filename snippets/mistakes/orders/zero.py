"""The tape returns 0 for what doesn't depend on x."""

import tensorflow as tf


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
second = tape.gradient(
    first, x, unconnected_gradients=tf.UnconnectedGradients.ZERO)
print("first:", first.numpy(), " second:", second.numpy())
print("difference:", ((slope(x + 1.0) - slope(x - 1.0)) / 2.0).numpy())
