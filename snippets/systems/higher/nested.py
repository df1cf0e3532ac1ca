"""Two nestings that work: a function of x and u, and a function of x alone."""

import tensorflow as tf


# truth: x.shape == u.shape
@tf.custom_gradient
def of_both(x, u):
    x, u = tf.identity(x), tf.identity(u)

    def grad(upstream):
        return upstream * u * 6.0 * x, upstream * 3.0 * x ** 2.0

    return u * 3.0 * x ** 2.0, grad


@tf.custom_gradient
def of_x(x):
    x = tf.identity(x)
    return 3.0 * x ** 2.0, lambda upstream: upstream * 6.0 * x


@tf.custom_gradient
def cube_by_both(x):
    x = tf.identity(x)
    return x ** 3.0, lambda upstream: of_both(x, upstream)


@tf.custom_gradient
def cube_by_x(x):
    x = tf.identity(x)
    return x ** 3.0, lambda upstream: upstream * of_x(x)


def derivative(function):
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tape.gradient(y, x)

    return slope


def run(cube, x):
    second = derivative(derivative(cube))
    of_loss = derivative(derivative(lambda x: 0.5 * (cube(x) - 5000.0) ** 2.0))
    return second(x), of_loss(x), derivative(second)(x)


x = tf.constant(10.0)
for cube in cube_by_both, cube_by_x:
    graph = tf.function(lambda x: run(cube, x), autograph=False)
    for mode, found in ("eager", run(cube, x)), ("tf.function", graph(x)):
        second, of_loss, third = found
        print(f"{cube.__name__:12}  {mode:11}  second = {second:.0f}"
              f"  of the loss = {of_loss:.0f}  third = {third:.0f}")
