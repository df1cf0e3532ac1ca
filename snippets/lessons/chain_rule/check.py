"""The custom gradient of the chain against autodiff and finite differences."""

import tensorflow as tf


@tf.custom_gradient
def square(x):
    def grad(upstream):
        return upstream * 2.0 * x

    return x * x, grad


def custom(x):
    return square(square(square(x)))


def plain(x):
    return ((x * x) * (x * x)) * ((x * x) * (x * x))


def gradient(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x).numpy()


for value in (-1.5, 0.0, 0.5, 2.0):
    x = tf.constant(value, tf.float64)
    h = 1e-5
    differences = ((plain(x + h) - plain(x - h)) / (2 * h)).numpy()
    print(f"x = {value:4}  custom = {gradient(custom, x):12.6f}"
          f"  autodiff = {gradient(plain, x):12.6f}"
          f"  differences = {differences:12.6f}")
