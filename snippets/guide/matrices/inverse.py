"""Gradients of the inverse and of a linear system, and finite differences."""

import numpy as np
import tensorflow as tf


# truth: X.shape.rank == 2
@tf.custom_gradient
def inverse(X):
    Y = tf.linalg.inv(X)

    def grad(upstream):
        return -tf.transpose(Y) @ upstream @ tf.transpose(Y)

    return Y, grad


# truth: A.shape.rank == B.shape.rank == 2
@tf.custom_gradient
def solve(A, B):
    Y = tf.linalg.solve(A, B)

    def grad(upstream):
        downstream_B = tf.linalg.solve(A, upstream, adjoint=True)
        return -downstream_B @ tf.transpose(Y), downstream_B

    return Y, grad


def difference(function, inputs, i, h=1e-5):
    """The derivative with respect to row 1, column 2 of input i."""
    step = np.zeros(inputs[i].shape)
    step[0, 1] = h
    plus, minus = ([x + sign * step if j == i else x
                    for j, x in enumerate(inputs)] for sign in (1, -1))
    return tf.reduce_sum(
        upstream * (function(*plus) - function(*minus))) / (2 * h)


A = tf.constant([[2.0, 1.0], [5.0, 3.0]], tf.float64)
B = tf.constant([[3.0, 1.0], [4.0, 2.0]], tf.float64)
upstream = tf.constant([[1.0, 10.0], [100.0, 1000.0]], tf.float64)
for name, function, inputs in (("inverse", inverse, [A]),
                               ("solve", solve, [A, B])):
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        Y = function(*inputs)
    downstream = tape.gradient(Y, inputs, output_gradients=upstream)
    print(name, np.round(Y, 6).tolist())
    for i, each in enumerate(downstream):
        print("  downstream ", np.round(each, 4).tolist())
        print("  difference ", np.round(difference(function, inputs, i), 4))
