"""Deliberately wrong: grad returns a tensor that it captured."""

import tensorflow as tf


@tf.custom_gradient
def half_square(x):
    return 0.5 * x * x, lambda upstream: x


def gradient(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


x = tf.constant(3.0)
print("eager       ", gradient(half_square, x).numpy())
inside = tf.function(lambda x: gradient(half_square, x))
print("tape inside ", inside(x).numpy())
try:
    gradient(tf.function(half_square), x)
except tf.errors.InvalidArgumentError as error:
    print("tape outside", "InvalidArgumentError:", error.message.split("?")[0])
