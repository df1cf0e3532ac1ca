"""Deliberately wrong: round straight through, with an integer dtype."""

import tensorflow as tf


def gradient(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        L = tf.reduce_sum(tf.cast(function(x), tf.float32) ** 2)
    return tape.gradient(L, x)


def make(dtype):
    # truth: the gradient of tf.identity
    @tf.custom_gradient
    def round_through(x):
        def grad(upstream):
            tf.print("  grad is called, upstream", upstream)
            return upstream

        return tf.cast(tf.round(x), dtype), grad

    return round_through


x = tf.constant([1.2, 2.7])
for dtype in (tf.int32, tf.float32):
    print("y is", dtype.name)
    print("  dL/dx =", gradient(make(dtype), x))
