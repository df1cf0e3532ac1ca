"""Deliberately wrong: second derivatives from a complex step of a gradient."""

import tensorflow as tf


@tf.custom_gradient
def without_conjugate(x):
    return x * x * x, lambda upstream: upstream * 3.0 * x * x


def cube(x):
    return x * x * x


def complex_step(function, x, h=1e-20):
    z = tf.complex(x, tf.constant(h, x.dtype))
    with tf.GradientTape() as tape:
        tape.watch(z)
        y = function(z)
    return tf.math.imag(tape.gradient(y, z)) / h


x = tf.constant(2.0, tf.float64)
print("TensorFlow's cube:    ", complex_step(cube, x).numpy())
print("without a conjugate:  ", complex_step(without_conjugate, x).numpy())
print("right:                ", (6.0 * x).numpy())
