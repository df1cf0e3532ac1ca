"""Deliberately wrong: grad comes before the value, or is called."""

import tensorflow as tf


@tf.custom_gradient
def rule_first(x):
    def grad(upstream):
        return 2.0 * upstream

    return grad, 2.0 * x


@tf.custom_gradient
def called(x):
    def grad(upstream):
        return 2.0 * upstream

    return 2.0 * x, grad(x)


x = tf.constant(3.0)
for function in rule_first, called:
    try:
        function(x)
    except TypeError as error:
        print(f"{function.__name__}: {type(error).__name__}: {error}")
