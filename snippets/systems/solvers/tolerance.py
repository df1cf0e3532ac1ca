"""How exact the gradient is at a loose tolerance of the solver."""

import numpy as np
import tensorflow as tf


def layer(y):
    return tf.tanh(tf.linalg.matvec(W, y) + x)


def solve(tolerance):
    y, change, steps = tf.zeros_like(x), np.inf, 0
    while change > tolerance:
        before, y = y, layer(y)
        change = np.max(np.abs(y - before))
        steps += 1
    return y, steps


def adjoint(y, tolerance):
    """w with A^T w = upstream, by the transposed iteration."""
    z, change = tf.zeros_like(upstream), np.inf
    while change > tolerance:
        before = z
        z = upstream + tf.linalg.matvec(W, (1.0 - y * y) * z, transpose_a=True)
        change = np.max(np.abs(z - before))
    return (1.0 - y * y) * z


def error(value, exact):
    return np.max(np.abs(value - exact)) / np.max(np.abs(exact))


rng = np.random.default_rng(0)
W = rng.standard_normal([20, 20])
W = tf.constant(0.95 * W / np.linalg.norm(W, 2))
x, upstream = (tf.constant(0.5 * rng.standard_normal(20)) for _ in range(2))
y_exact, _ = solve(1e-15)
exact = adjoint(y_exact, 1e-15)
print("tolerance  steps     y        custom   both loose  unrolled")
for tolerance in 10.0 ** np.arange(-1, -11, -2):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y, steps = solve(tolerance)
    unrolled = tape.gradient(y, x, output_gradients=upstream)
    print(
        f"{tolerance:8.0e}  {steps:5d}  "
        + "   ".join(
            f"{each:.1e}"
            for each in (
                error(y, y_exact),
                error(adjoint(y, 1e-15), exact),
                error(adjoint(y, tolerance), exact),
                error(unrolled, exact),
            )
        )
    )
