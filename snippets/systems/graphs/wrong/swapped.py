"""Deliberately wrong: a graph's gradient function is swapped for another."""

import tensorflow as tf
from tensorflow.python.framework import ops


# truth: the rule is right
@tf.custom_gradient
def square(x):
    return x * x, lambda upstream: upstream * 2.0 * x


def swapped(x):
    before = {*ops.gradient_registry.list()}
    y = square(x)
    for name in {*ops.gradient_registry.list()} - before:
        entry = ops.gradient_registry._registry[name]
        entry["type"] = lambda op, upstream, _: (None, 100.0 * upstream)
    return y


def gradient(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


x = tf.constant(3.0)
print("eager      ", gradient(swapped, x).numpy())
print("tape inside", tf.function(lambda x: gradient(swapped, x))(x).numpy())
print("tape outside", gradient(tf.function(swapped), x).numpy())
