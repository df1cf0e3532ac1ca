"""A step with the derivative of softsign, by the stop-gradient trick."""

import tensorflow as tf


def step(x):
    return tf.cast(x > 0.0, x.dtype)


def softsign(x):
    return x / (1.0 + tf.abs(x))


def by_trick(x):
    s = softsign(x)
    return s + tf.stop_gradient(step(x) - s)


def show(name, values):
    print(f"{name:30}", *[f"{value:7.4f}" for value in values])


x = tf.constant([-1.0, 0.0, 3.0], tf.float64)
w = tf.constant([4.0, 8.0, 32.0], tf.float64)
with tf.GradientTape() as tape:
    tape.watch(x)
    z = by_trick(x)
    loss = tf.reduce_sum(w * z)
h = 1e-6
difference = (softsign(x + h) - softsign(x - h)) / (2.0 * h)
show("z", z)
show("gradient of the loss", tape.gradient(loss, x))
show("w times differences of s", w * difference)
