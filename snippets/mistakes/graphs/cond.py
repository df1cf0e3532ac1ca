"""In the branch, the decorated function makes a copy for its grad."""

import tensorflow as tf

scale = tf.constant(2.0)


@tf.custom_gradient
def scaled(x):
    factor = tf.identity(scale)
    return factor * x, lambda upstream: upstream * factor


def branch(x):
    return tf.cond(x > 0.0, lambda: scaled(x), lambda: x)


def gradient(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


x = tf.constant(3.0)
print("eager      ", gradient(branch, x).numpy())
print("tape inside", tf.function(gradient)(branch, x).numpy())
print("tape outside", gradient(tf.function(branch), x).numpy())
