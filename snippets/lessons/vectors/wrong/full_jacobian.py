"""Deliberately wrong: grad returns the whole Jacobian."""

import tensorflow as tf


@tf.custom_gradient
def square(x):
    def grad(upstream):
        return upstream * tf.linalg.diag(2.0 * x)

    return x * x, grad


@tf.custom_gradient
def guarded(x):
    def grad(upstream):
        downstream = upstream * tf.linalg.diag(2.0 * x)
        return tf.ensure_shape(downstream, x.shape)

    return x * x, grad


def gradient(function):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x).numpy()


x = tf.constant([1.0, 2.0, 3.0])
print("x has shape", x.shape, " and its gradient is")
print(gradient(square))

try:
    gradient(guarded)
except tf.errors.InvalidArgumentError as error:
    print("with ensure_shape: InvalidArgumentError")
    print(" ", str(error).split("}} ")[-1].split(" [Op:")[0])
