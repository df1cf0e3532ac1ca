"""Deliberately wrong: grad is decorated, to define a second derivative."""

import tensorflow as tf


@tf.custom_gradient
def cube(x):
    @tf.custom_gradient
    def grad(upstream):
        def grad_of_grad(upstream_2):
            return upstream_2 * 6.0 * x

        return upstream * 3.0 * x * x, grad_of_grad

    return x ** 3.0, grad


def slope(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


def slope_of_cube(x):
    return slope(cube, x)


def slope_of_square(x):
    return slope(lambda x: cube(x) ** 2.0, x)


x = tf.constant(2.0)
for first, right in (slope_of_cube, 6.0 * x), (slope_of_square, 30.0 * x ** 4):
    graph = tf.function(slope, autograph=False)
    print(f"{first.__name__}: {first(x):.0f}, second: eager {slope(first, x)}"
          f"  tf.function {graph(first, x)}  right {right}")
