"""Deliberately wrong: grad itself is decorated, as a function of upstream."""

import tensorflow as tf


@tf.custom_gradient
def cube(x):
    @tf.custom_gradient
    def grad(upstream):
        def grad_of_grad(upstream_2):
            return upstream_2 * upstream * 6.0 * x

        return upstream * 3.0 * x ** 2.0, grad_of_grad

    return x ** 3.0, grad


def derivative(function):
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tape.gradient(y, x)

    return slope


def run(x):
    second = derivative(derivative(cube))
    of_loss = derivative(derivative(lambda x: 0.5 * (cube(x) - 5000.0) ** 2.0))
    return second(x), of_loss(x)


x = tf.constant(10.0)
for mode, call in ("eager", run), ("tf.function", tf.function(run)):
    second, of_loss = call(x)
    print(f"{mode:11}  second = {second}  of the loss = {of_loss}")
