"""tf.stop_gradient: the factor is in the value, not in the gradient."""

import tensorflow as tf


def with_factor(x):
    return x * x


def with_stopped_factor(x):
    return x * tf.stop_gradient(x)


for function in (with_factor, with_stopped_factor):
    x = tf.constant(3.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = function(x)
        first = inner.gradient(y, x)
    second = outer.gradient(first, x)
    print(f"{function.__name__:20} y = {y:.0f}  first = {first:.0f}"
          f"  second = {second}")
