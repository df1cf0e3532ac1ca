"""Deliberately wrong: gradients between real and complex, wrong dtypes."""

import tensorflow as tf


@tf.custom_gradient
def abs2(z):
    return tf.abs(z) ** 2, lambda upstream: upstream * 2.0 * z


@tf.custom_gradient
def real_part(z):
    return tf.math.real(z), lambda upstream: upstream


@tf.custom_gradient
def rotated(t):
    y = tf.exp(tf.complex(0.0, t))
    return y, lambda upstream: upstream * tf.math.conj(1j * y)


def attempt(name, function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    try:
        gradient = tape.gradient(y, x)
        print(f"{name}: input {x.dtype.name}, gradient {gradient.dtype.name}")
    except tf.errors.InvalidArgumentError as error:
        print(f"{name}: {error.message.partition(' [')[0]}")


z, t = tf.constant(1 + 2j, tf.complex64), tf.constant(0.5)
attempt("abs2", abs2, z)
attempt("real_part", real_part, z)
attempt("real_part(z * z)", lambda z: real_part(z * z), z)
attempt("rotated", lambda t: tf.math.real(rotated(t)), t)
attempt("rotated(2 t)", lambda t: tf.math.real(rotated(2.0 * t)), t)
