"""Deliberately wrong: a gradient that was tested where nothing ties."""

import tensorflow as tf


@tf.custom_gradient
def leaky(x):
    """The larger of x and 0.2 x."""
    def grad(upstream):
        first = tf.where(x >= 0.0, upstream, 0.0)
        second = tf.where(x <= 0.0, 0.2 * upstream, 0.0)
        return first + second

    return tf.maximum(x, 0.2 * x), grad


def gradient(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


def test(numbers):
    same = gradient(leaky, numbers) == gradient(
        lambda x: tf.nn.leaky_relu(x, 0.2), numbers)
    return tf.math.count_nonzero(same).numpy()


numbers = tf.random.stateless_normal([200], seed=[1, 2])
print("random numbers            the same:", test(numbers), "of 200")
print("after a relu              the same:", test(tf.nn.relu(numbers)),
      "of 200")
print("rounded to halves         the same:",
      test(tf.round(2.0 * numbers) / 2.0), "of 200")
h, zero = 1e-3, tf.constant(0.0)
print("at 0  left", (0.0 - tf.nn.leaky_relu(-h)).numpy() / h, " right",
      tf.nn.leaky_relu(h).numpy() / h, " the gradient",
      gradient(leaky, zero).numpy())
