"""Deliberately wrong: an integer output treated as a float, and None."""

import tensorflow as tf


@tf.custom_gradient
def with_sign(x):
    def grad(*upstreams):
        terms = [upstream * local
                 for upstream, local in zip(upstreams, (2.0, 0.0))]
        return tf.add_n(terms)

    return (2.0 * x, tf.cast(tf.sign(x), tf.int32)), grad


@tf.custom_gradient
def with_none(x):
    def grad(upstream, nothing):
        return 2.0 * upstream

    return (2.0 * x, None), grad


def gradient(function):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)[0]
    return tape.gradient(y, x)


x = tf.constant(3.0)
graph = tf.function(with_sign, autograph=False)
for name, run in [
        ("an integer, eager", lambda: gradient(with_sign)),
        ("an integer, tape outside of tf.function", lambda: gradient(graph)),
        ("None, eager", lambda: gradient(with_none)),
        ("None, in a graph", tf.function(
            lambda: gradient(with_none), autograph=False))]:
    print(name)
    try:
        print("  gradient", run().numpy())
    except Exception as error:
        print(" ", type(error).__name__ + ":",
              str(error).strip().splitlines()[-1].split(" [Op:")[0])
