"""The decorated function depends on x, and upstream stays outside of it."""

import tensorflow as tf


@tf.custom_gradient
def slope_of_cube(x):
    x = tf.identity(x)  # for tapes outside a tf.function

    def grad(upstream):
        return upstream * 6.0 * x

    return 3.0 * x * x, grad


@tf.custom_gradient
def cube(x):
    x = tf.identity(x)  # for tf.cond

    def grad(upstream):
        return upstream * slope_of_cube(x)

    return x ** 3.0, grad


def second(function, x):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = function(x)
        first = inner.gradient(y, x)
    return outer.gradient(first, x)


x = tf.constant(2.0)
for name, function in (("y", cube), ("y ** 2", lambda x: cube(x) ** 2.0)):
    print(f"second derivative of {name}:", second(function, x).numpy())
print("without a custom gradient:",
      second(lambda x: x ** 3.0, x).numpy(),
      second(lambda x: x ** 6.0, x).numpy())
