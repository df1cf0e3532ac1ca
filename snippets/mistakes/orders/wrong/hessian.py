"""Deliberately wrong: the gradient of the gradient isn't the Hessian."""

import tensorflow as tf


def gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x[0] ** 2.0 * x[1]
    return tape.gradient(y, x)


x = tf.constant([3.0, 5.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    first = gradient(x)
print("gradient of the gradient:", tape.gradient(first, x).numpy())
hessian = tf.stack([[2.0 * x[1], 2.0 * x[0]], [2.0 * x[0], 0.0]])
print("Hessian:", hessian.numpy().tolist())
print("sums of its columns:", tf.reduce_sum(hessian, 0).numpy())
try:
    tape.hessian(first, x)
except AttributeError as error:
    print("AttributeError:", error)
