"""A Hessian, and its product with a vector, in two ways."""

import tensorflow as tf


def f(x):
    return x[0] ** 2.0 * x[1]


def gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x)


def hessian(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        first = gradient(x)
    return tape.jacobian(first, x)


def reverse_over_reverse(x, v):
    with tf.GradientTape() as tape:
        tape.watch(x)
        first = gradient(x)
    return tape.gradient(first, x, output_gradients=v)


def forward_over_reverse(x, v):
    with tf.autodiff.ForwardAccumulator(x, v) as accumulator:
        first = gradient(x)
    return accumulator.jvp(first)


x, v = tf.constant([3.0, 5.0]), tf.constant([1.0, -1.0])
print("Hessian:", hessian(x).numpy().tolist())
print("times v:", tf.linalg.matvec(hessian(x), v).numpy(),
      reverse_over_reverse(x, v).numpy(), forward_over_reverse(x, v).numpy())
h = 1e-2
difference = (gradient(x + h * v) - gradient(x - h * v)) / (2.0 * h)
print("difference of gradients:", tf.round(100.0 * difference).numpy() / 100)
