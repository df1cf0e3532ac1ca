"""Deliberately wrong: three linear solves that some tests don't find."""

import numpy as np
import tensorflow as tf


def solve(x, W, k):
    y = np.zeros_like(x)
    for _ in range(50):
        error = y @ W.T + k * y**3 - x
        A = W + 3.0 * k * y[:, None, :]**2 * np.eye(len(k))
        y -= np.linalg.solve(A, error[:, :, None])[:, :, 0]
    return y


def condition(y, x, W, k):
    return tf.linalg.matvec(W, y) + k * y**3 - x


def build(way):
    @tf.custom_gradient
    def solved(x, W, k):
        y = tf.numpy_function(solve, [x, W, k], x.dtype)

        def grad(upstream):
            with tf.GradientTape(persistent=True) as tape:
                tape.watch([y, x, W, k])
                F = condition(y, x, W, k)
            A = W + tf.linalg.diag(3.0 * k * y**2)  # batch_jacobian
            if way == "not transposed":
                A = tf.linalg.matrix_transpose(A)
            if way == "one matrix":
                A = A[:1] + tf.zeros_like(A)
            if way == "tape.gradient":
                A = tf.linalg.diag(tape.gradient(F, y))
            w = tf.linalg.solve(A, upstream[:, :, None], adjoint=True)
            return tape.gradient(F, [x, W, k], output_gradients=-w[:, :, 0])

        return y, grad

    return solved


def error(way, x, W, k):
    """Of the gradient with respect to x, beside finite differences."""
    inputs = [tf.constant(each) for each in (x, W, k)]
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        loss = tf.reduce_sum(tf.sin(build(way)(*inputs)))
    change = np.random.default_rng(1).standard_normal(x.shape)
    plus, minus = (np.sum(np.sin(solve(x + s * change, W, k)))
                   for s in (1e-6, -1e-6))
    right = (plus - minus) / 2e-6
    return abs(np.sum(tape.gradient(loss, inputs[0]) * change) / right - 1.0)


W = np.array([[3.0, -1.0, 0.0], [-0.5, 2.0, -1.0], [0.0, -0.5, 1.5]])
k = np.array([0.5, 1.0, 2.0])
x = np.array([[1.0, -2.0, 0.5], [0.3, 0.2, -0.1]])
print("error of the gradient   any   symmetric  one example  one unknown")
for way in "right", "not transposed", "one matrix", "tape.gradient":
    errors = (error(way, x, W, k), error(way, x, W + W.T, k),
              error(way, x[:1], W, k), error(way, x[:, :1], W[:1, :1], k[:1]))
    print(f"{way:16}", *(f"{each:10.3f}" for each in errors))
