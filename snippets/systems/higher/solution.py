"""The reciprocal: grad calls the function, so any order is right."""

import tensorflow as tf


@tf.custom_gradient
def reciprocal(x):
    x = tf.identity(x)

    def grad(upstream):
        return -upstream * reciprocal(x) ** 2.0

    return 1.0 / x, grad


def derivative(function):
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tape.gradient(y, x)

    return slope


x = tf.constant(2.0)
function, plain = reciprocal, tf.math.reciprocal
for order in range(1, 5):
    function, plain = derivative(function), derivative(plain)
    print(f"order {order}  eager = {function(x):.4f}"
          f"  tf.function = {tf.function(function)(x):.4f}"
          f"  plain = {plain(x):.4f}")
