"""Deliberately wrong: the gradient function relies on the order of calls."""

import tensorflow as tf

kept = []


@tf.custom_gradient
def square(x):
    kept.append(x)

    def grad(upstream):
        return upstream * 2.0 * kept.pop()

    return x**2, grad


def chain(square, x):
    return square(square(2.0 * x))


def branches(square, x):
    return square(2.0 * x) + 3.0 * square(4.0 * x)


x = tf.constant(1.0)
for function in chain, branches:
    gradients = []
    for each in square, tf.square:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(each, x)
        gradients.append(tape.gradient(y, x).numpy())
    print(f"{function.__name__:8} {gradients[0]} right: {gradients[1]}")
