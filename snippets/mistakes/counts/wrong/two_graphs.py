"""Deliberately wrong: a branch returns a tensor from outside unchanged."""

import tensorflow as tf


# truth: the rule is right
@tf.custom_gradient
def both(x, outer):
    def grad(upstream, upstream_outer):
        return 3.0 * upstream, upstream_outer

    return (3.0 * x, outer), grad


def shifted(x):
    outer = 2.0 * x
    return tf.cond(x > 0.0, lambda: sum(both(x, outer)), lambda: x)


x = tf.constant(1.0)
print("eager:", shifted(x).numpy())
try:
    tf.function(shifted, autograph=False)(x)
except ValueError as error:
    print(f"{type(error).__name__}: {error}")
