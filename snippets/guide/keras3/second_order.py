"""The example of Keras's documentation, differentiated twice."""

import tensorflow as tf
from keras import ops


@ops.custom_gradient
def log1pexp(x):
    e = ops.exp(x)

    def grad(*args, upstream=None):
        if upstream is None:
            (upstream,) = args
        return ops.multiply(upstream, 1.0 - 1.0 / ops.add(1, e))

    return ops.log(1 + e), grad


@ops.custom_gradient
def recomputed(x):
    def grad(*args, upstream=None):
        if upstream is None:
            (upstream,) = args
        e = ops.exp(x)
        return ops.multiply(upstream, 1.0 - 1.0 / ops.add(1, e))

    return ops.log(1 + ops.exp(x)), grad


def second_derivative(function, x):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = function(x)
        first = inner.gradient(y, x)
    return outer.gradient(first, x)


for name, softplus in (("captured", log1pexp), ("recomputed", recomputed)):
    second = second_derivative(lambda x: softplus(x) + x**2, tf.constant(1.0))
    print(f"e {name:10}  second derivative {float(second):.4f}")
