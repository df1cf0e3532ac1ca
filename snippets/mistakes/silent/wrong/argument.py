"""Deliberately wrong: a decorated function is an argument of tf.function."""

import tensorflow as tf


def double(x):
    return 2.0 * x


def with_rule(function):
    # truth: the rule is right; upstream becomes -upstream
    @tf.custom_gradient
    def ruled(x):
        return function(x), lambda upstream: -2.0 * upstream

    return ruled


def total(function, x):
    y = function(x)
    return tf.reduce_sum(y[0] if isinstance(y, tuple) else y)


x, ruled = tf.constant(3.0), with_rule(double)
for name, run in (("tf.function", tf.function(total)), ("eager", total)):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = run(ruled, x)
    print(f"{name:11}", tape.gradient(y, x).numpy())
