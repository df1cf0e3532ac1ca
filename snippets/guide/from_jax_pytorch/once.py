"""A port of once_differentiable: a second derivative raises an error."""

import tensorflow as tf


def once_differentiable(grad):
    return lambda upstream: tf.raw_ops.PreventGradient(
        input=grad(upstream), message="cube has no second derivative")


# truth: first derivative only
@tf.custom_gradient
def cube(x):
    return x * x * x, once_differentiable(
        lambda upstream: upstream * 3.0 * x * x)


x = tf.constant(2.0)
try:
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = cube(x)
        first = inner.gradient(y, x)
        print("first", first.numpy())
    print("second", outer.gradient(first, x))
except LookupError as error:
    print("LookupError:", str(error).partition("Reason: ")[2])
