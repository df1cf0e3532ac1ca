"""Deliberately wrong: probes that lose the gradient they show."""

import re

import numpy as np
import tensorflow as tf


@tf.custom_gradient
def returns_nothing(x):
    def grad(upstream):
        tf.print("  upstream =", upstream)

    return tf.identity(x), grad


# truth: eager only
@tf.custom_gradient
def through_numpy(x):
    def grad(upstream):
        tf.print("  norm =", float(np.linalg.norm(upstream)))
        return tf.constant(upstream.numpy())

    return tf.identity(x), grad


def slopes(name, probe):
    print(name)
    x = tf.constant(3.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.square(probe(x))
        first = inner.gradient(y, x)
    print("  first ", None if first is None else first.numpy())
    if first is not None:
        second = outer.gradient(first, x)
        print("  second", None if second is None else second.numpy())


slopes("no probe", tf.identity)
slopes("returns nothing", returns_nothing)
slopes("through NumPy", through_numpy)
try:
    tf.function(lambda: slopes("through NumPy, in a graph", through_numpy))()
except NotImplementedError as error:
    print(" ", re.search(r"Cannot .* numpy array", str(error))[0])
