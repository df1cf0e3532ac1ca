"""Deliberately wrong: grad solves with A, not with its transpose."""

import tensorflow as tf


def iterate(W, x):
    y = tf.zeros_like(x)
    for _ in range(50):
        y = tf.tanh(tf.linalg.matvec(W, y) + x)
    return y


# truth: W = 0.5 * W / (1.0 + tf.norm(W)); W.shape == x.shape + x.shape
# truth: abs(x) < 3; x.shape.rank == 1; first derivative only
@tf.custom_gradient
def equilibrium(W, x):
    y = iterate(tf.stop_gradient(W), tf.stop_gradient(x))

    def grad(upstream):
        A = tf.linalg.diag(1.0 / (1.0 - y * y)) - W
        w = tf.linalg.solve(A, upstream[:, None])[:, 0]
        return w[:, None] * y, w

    return y, grad


x, upstream = tf.constant([0.2, 1.0]), tf.constant([1.0, 10.0])
for name, W in (
    ("symmetric", tf.constant([[0.5, -0.4], [-0.4, 0.2]])),
    ("other", tf.constant([[0.5, -0.4], [0.3, 0.2]])),
):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y, loop = equilibrium(W, x), iterate(W, x)
    print(
        f"{name:9}  custom",
        tape.gradient(y, x, upstream).numpy(),
        " unrolled",
        tape.gradient(loop, x, upstream).numpy(),
    )
