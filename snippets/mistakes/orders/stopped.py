"""grad calls the decorated function itself, so each order is right."""

import numpy as np
import tensorflow as tf


@tf.custom_gradient
def exp(x):
    x = tf.identity(x)  # for tapes outside a tf.function, and for tf.cond
    y = tf.numpy_function(np.exp, [x], x.dtype)
    y.set_shape(x.shape)

    def grad(upstream):
        return upstream * exp(x)

    return y, grad


def second(function, x):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = function(x)
        slope = inner.gradient(y, x)
    return outer.gradient(slope, x)


def square(x):
    return exp(x) ** 2.0


x = tf.constant(0.5)
for function in exp, square, tf.exp, lambda x: tf.exp(2.0 * x):
    graph = tf.function(
        lambda x: second(function, x), autograph=False)
    print(f"eager {second(function, x):.4f}  tf.function {graph(x):.4f}")
