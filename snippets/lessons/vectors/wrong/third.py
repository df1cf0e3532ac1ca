"""Deliberately wrong: the third derivative of x² by tf.pow is NaN at 0."""

import tensorflow as tf


def third_derivative(f, x):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as middle:
            middle.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = f(x)
            first = inner.gradient(y, x)
        second = middle.gradient(first, x)
    return outer.gradient(second, x)


x = tf.constant([0.0, 1.0, 2.0])
print("x ** 2.0", third_derivative(lambda x: x ** 2.0, x).numpy())
