"""Deliberately wrong: grad_of_slope returns two gradients for one input."""

import tensorflow as tf


@tf.custom_gradient
def cube(x):
    def grad(upstream):
        @tf.custom_gradient
        def slope(unused_x):
            def grad_of_slope(second_upstream):
                return second_upstream * 6.0 * x, second_upstream * 3.0 * x * x

            return 3.0 * x * x, grad_of_slope

        return upstream * slope(x)

    return x * x * x, grad


def derivatives(x):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = cube(x)
        first = inner.gradient(y, x)
    tf.print("first derivative", first)
    return outer.gradient(first, x)


x = tf.constant(2.0)
for mode, function in (("eager", derivatives),
                       ("tf.function", tf.function(derivatives))):
    try:
        function(x)
    except (ValueError, tf.errors.InternalError) as error:
        print(f"{mode}: {type(error).__name__}:",
              str(error).strip().splitlines()[-1].strip())
