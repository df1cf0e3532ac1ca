"""Second derivatives against finite differences, for two losses."""

import functools

import tensorflow as tf


@tf.custom_gradient
def cube(x):
    return x ** 3.0, lambda upstream: upstream * 3.0 * x ** 2.0


@tf.custom_gradient
def softplus(x):
    return tf.nn.softplus(x), lambda upstream: upstream * tf.sigmoid(x)


def slope(function, loss, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = loss(function(x))
    return tape.gradient(y, x)


def second(function, loss, x, v):
    with tf.GradientTape() as tape:
        tape.watch(x)
        first = slope(function, loss, x)
    return tape.gradient(first, x, output_gradients=v)


def differences(function, loss, x, v, h=1e-5):
    up, down = (slope(function, loss, x + each * v) for each in (h, -h))
    return (up - down) / (2.0 * h)


losses = {"sum": tf.reduce_sum, "square": lambda y: tf.reduce_sum(y) ** 2.0}
x, v = (tf.constant(each, tf.float64) for each in ([1.3, -0.7], [1.0, 2.0]))
for function in cube, softplus:
    for name, loss in losses.items():
        right = differences(function, loss, x, v)
        eager = functools.partial(second, function, loss)
        graph = tf.function(eager, autograph=False)
        for mode, run in ("eager", eager), ("graph", graph):
            error = tf.reduce_max(abs(run(x, v) / right - 1.0))
            print(f"{function.__name__:8}  {name:6}  {mode}"
                  f"  error below 1e-8: {error < 1e-8}")
