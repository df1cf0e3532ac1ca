"""A custom gradient inside a custom gradient: one gradient for each input."""

import tensorflow as tf


@tf.custom_gradient
def cube(x):
    x = tf.identity(x)  # for tapes outside a tf.function, and for tf.cond

    def grad(upstream):
        @tf.custom_gradient
        def slope(x):
            x = tf.identity(x)

            def grad_of_slope(second_upstream):
                return second_upstream * 6.0 * x

            return 3.0 * x * x, grad_of_slope

        return upstream * slope(x)

    return x * x * x, grad


def derivatives(x):
    with tf.GradientTape() as third:
        third.watch(x)
        with tf.GradientTape() as second:
            second.watch(x)
            with tf.GradientTape() as first:
                first.watch(x)
                y = cube(x)
            dy = first.gradient(y, x)
        d2y = second.gradient(dy, x)
    return dy, d2y, third.gradient(d2y, x)


x = tf.constant(2.0)
for mode, function in (("eager", derivatives),
                       ("tf.function", tf.function(derivatives))):
    dy, d2y, d3y = function(x)
    print(f"{mode:11} x {x:.0f}, derivatives of x^3:"
          f" {dy:.0f}, second {d2y:.0f}, third {d3y:.0f}")
