"""Deliberately wrong: the loss uses a tensor that was not returned."""

import tensorflow as tf


# truth: the rule is right; upstream becomes -upstream
@tf.custom_gradient
def reverse(x):
    y = tf.identity(x)
    kept.append(y)

    def grad(upstream):
        return -upstream

    return y, grad


def used(x):
    reverse(x)
    return kept.pop()


kept = []
x = tf.constant(3.0)
for function in used, reverse:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    print(f"{function.__name__:7}", tape.gradient(y, x).numpy())
