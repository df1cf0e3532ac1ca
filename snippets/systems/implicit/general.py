"""One custom gradient for any condition F(y, ...) = 0."""

import numpy as np
import tensorflow as tf


def implicit(condition, solve):
    """solve, with the gradient that condition(y, *inputs) = 0 implies."""

    def solved(*inputs):
        y = solve(*map(tf.stop_gradient, inputs))

        def grad(upstream):
            with tf.GradientTape(persistent=True) as tape:
                tape.watch([y, *inputs])
                F = condition(y, *inputs)
            A = tape.jacobian(F, y)
            w = tf.linalg.solve(A, upstream[:, None], adjoint=True)[:, 0]
            return tape.gradient(F, inputs, output_gradients=-w)

        return y, grad

    # truth: inputs[0].shape.rank == 2; inputs[1].shape.rank == 1
    # truth: tf.norm(inputs[0]) < 2; first derivative only
    return tf.custom_gradient(solved)


def step(y, M, x):
    """One step of descent on |M y - x|^2 + |y|^2, clipped at 0."""
    error = tf.linalg.matvec(M, y) - x
    slope = y + tf.linalg.matvec(M, error, transpose_a=True)
    return tf.nn.relu(y - slope / (1.0 + tf.reduce_sum(M * M)))


def descend(M, x):
    y = tf.zeros(M.shape[1], x.dtype)
    for _ in range(120):
        y = step(y, M, x)
    return y


program = implicit(lambda y, M, x: y - step(y, M, x), descend)
M = tf.constant([[1.0, 1.0], [0.0, 1.0]], tf.float64)
upstream = tf.constant([1.0, 10.0], tf.float64)
for x in ([2.0, 1.0], [1.0, 3.0]):
    x = tf.constant(x, tf.float64)
    with tf.GradientTape() as tape:
        tape.watch([M, x])
        y = program(M, x)
    downstream_M, downstream_x = tape.gradient(y, [M, x], upstream)
    h, slopes = 1e-6, []
    for s in h * tf.eye(2, dtype=x.dtype):
        change = descend(M, x + s) - descend(M, x - s)
        slopes.append(tf.reduce_sum(upstream * change) / (2.0 * h))
    print("x =", x.numpy(), " y =", y.numpy().round(6))
    print("  downstream_x =", downstream_x.numpy().round(6) + 0.0)
    print("  differences  =", np.round(slopes, 6) + 0.0)
    print("  downstream_M =", (downstream_M.numpy().round(6) + 0.0).tolist())
