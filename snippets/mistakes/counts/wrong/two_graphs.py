"""Wrong on purpose: two outputs, of a branch and of the graph around it."""

import tensorflow as tf


def shifted(x):
    outer = 2.0 * x

    # truth: the rule is right; x.shape == []
    @tf.custom_gradient
    def both(x):
        def grad(upstream, upstream_outer):
            return 3.0 * upstream

        return (3.0 * x, outer), grad

    return tf.cond(x > 0.0, lambda: both(x)[0], lambda: x)


x = tf.constant(1.0)
print("eager:", shifted(x).numpy())
try:
    tf.function(shifted, autograph=False)(x)
except ValueError as error:
    print(f"{type(error).__name__}: {error}")
