"""Deliberately wrong: a local derivative as a factor, differentiated twice."""

import tensorflow as tf

stop = tf.stop_gradient


def local_of(x):
    return 1.0 - tf.tanh(x) ** 2


def with_factor(x):
    return stop(tf.sign(x)) + local_of(x) * (x - stop(x))


def with_stopped_factor(x):
    return stop(tf.sign(x)) + stop(local_of(x)) * (x - stop(x))


def with_surrogate(x):
    return stop(tf.sign(x)) + (tf.tanh(x) - stop(tf.tanh(x)))


x = tf.constant(0.5)
for method in (with_surrogate, with_factor, with_stopped_factor):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = method(x)
        first = inner.gradient(y, x)
    second = outer.gradient(first, x)
    second = None if second is None else f"{second:.4f}"
    print(f"{method.__name__:20} y = {y:.4f}  first = {first:.4f}"
          f"  second = {second}")
