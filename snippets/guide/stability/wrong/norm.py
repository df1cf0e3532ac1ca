"""Deliberately wrong: roots and norms at zero and far from one."""

import tensorflow as tf


def with_eps(x):
    return tf.sqrt(tf.reduce_sum(x * x) + 1e-12)


def line(name, function, *numbers):
    x = tf.constant(numbers)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    shown = [f"{number:.2g}" for number in tape.gradient(y, x)]
    print(f"{name:29} y = {y:<8.3g} gradient =", *shown)


line("sqrt(0)", lambda x: tf.sqrt(x[0]), 0.0)
line("sqrt(0 * 0)", lambda x: tf.sqrt(x[0] * x[0]), 0.0)
line("norm of 0, 0", tf.norm, 0.0, 0.0)
line("reduce_euclidean_norm", tf.math.reduce_euclidean_norm, 0.0, 0.0)
line("reduce_std of 5, 5", tf.math.reduce_std, 5.0, 5.0)
line("reduce_std of 1.7, 1.7, 1.7", tf.math.reduce_std, 1.7, 1.7, 1.7)
line("with 1e-12 in the root", with_eps, 0.0, 0.0)
line("norm of 3e20, 4e20", tf.norm, 3e20, 4e20)
line("norm of 3e-25, 4e-25", tf.norm, 3e-25, 4e-25)
line("with 1e-12, 3e-25, 4e-25", with_eps, 3e-25, 4e-25)
