"""Deliberately wrong: a custom gradient that nobody needs."""

import tensorflow as tf


@tf.custom_gradient
def custom_silu(x):
    fixed = tf.stop_gradient(x)  # so that the tape keeps nothing
    s = tf.sigmoid(fixed)
    local = s * (1.0 + fixed * (1.0 - s))

    def grad(upstream):
        return upstream * local

    return fixed * s, grad


def derivatives(function):
    x = tf.constant(1.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = function(x)
        first = inner.gradient(y, x)
    second = outer.gradient(first, x)
    return f"{first:.4f}", None if second is None else f"{second:.4f}"


for name, silu in (("x * sigmoid(x)", lambda x: x * tf.sigmoid(x)),
                   ("tf.nn.silu", tf.nn.silu),
                   ("custom", custom_silu)):
    print(f"{name:15} y: {derivatives(silu)}"
          f"  y ** 2: {derivatives(lambda x: silu(x) ** 2)}")
