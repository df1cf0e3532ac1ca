"""The identity against differences: of what it computes, and of s."""

import tensorflow as tf


def stand_in(x):
    s = tf.tanh(x)
    return tf.stop_gradient(tf.sign(x)) + (s - tf.stop_gradient(s))


def slope(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


def difference(function, x, h=1e-5):
    return (function(x + h) - function(x - h)) / (2.0 * h)


def show(name, values):
    print(f"{name:28}", *[f"{value:9.6f}" for value in values])


x = tf.constant([-1.5, 0.5, 2.0], tf.float64)
show("slope of the stand-in", slope(stand_in, x))
show("differences of tanh", difference(tf.tanh, x))
show("differences of the stand-in", difference(stand_in, x))
show("second, of the stand-in", slope(lambda x: slope(stand_in, x), x))
show("differences of its slope", difference(lambda x: slope(stand_in, x), x))
show("differences of tanh's slope", difference(lambda x: slope(tf.tanh, x), x))
