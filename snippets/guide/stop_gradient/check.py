"""Finite differences of the trick itself, and of its surrogate s."""

import tensorflow as tf


def trick(x):
    s = tf.tanh(x)
    return tf.stop_gradient(tf.sign(x)) + (s - tf.stop_gradient(s))


def gradient(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


def difference(function, x, h=1e-5):
    return (function(x + h) - function(x - h)) / (2.0 * h)


def show(name, values):
    print(f"{name:30}", *[f"{value:9.6f}" for value in values])


x = tf.constant([-1.5, 0.5, 2.0], tf.float64)
show("gradient of the trick", gradient(trick, x))
show("differences of tanh", difference(tf.tanh, x))
show("differences of the trick", difference(trick, x))
show("second, of the trick", gradient(lambda x: gradient(trick, x), x))
show("differences of its gradient",
     difference(lambda x: gradient(trick, x), x))
show("differences of tanh's gradient",
     difference(lambda x: gradient(tf.tanh, x), x))
