"""An equilibrium layer: the gradient function solves a linear system."""

import numpy as np
import tensorflow as tf


def iterate(step, y):
    """Repeat a step until only rounding errors change y."""
    end = 4.0 * np.finfo(y.dtype.as_numpy_dtype).eps
    y, change = tf.while_loop(
        lambda y, change: tf.reduce_max(change) > end,
        lambda y, _: (new := step(y), tf.abs(new - y)),
        (step(y), tf.ones_like(y)),
        maximum_iterations=1000,
    )
    tf.debugging.assert_less_equal(
        tf.reduce_max(change), tf.constant(end, y.dtype), "no convergence")
    return y


def first_order_only(w, x):
    """Refuse a second derivative, which would silently lack a term."""
    return tf.raw_ops.PreventGradient(
        input=tf.stack([w, x]),
        message="this solver has no second derivative")[0]


# truth: W = W / (1.0 + tf.norm(W)); W.shape == x.shape + x.shape
# truth: x.shape.rank == 1; abs(x) < 3; first derivative only
@tf.custom_gradient
def equilibrium(W, x):
    fixed, given = tf.stop_gradient(W), tf.stop_gradient(x)
    y = iterate(
        lambda y: tf.tanh(tf.linalg.matvec(fixed, y) + given),
        tf.zeros_like(x))

    def grad(upstream):
        A = tf.linalg.diag(1.0 / (1.0 - y * y)) - W
        w = tf.linalg.solve(A, upstream[:, None], adjoint=True)[:, 0]
        tf.print("upstream  ", upstream)
        tf.print("local A   ", A, summarize=-1)
        tf.print("downstream", w, "for x")
        w = first_order_only(w, x)
        return w[:, None] * y, w

    return y, grad


W = tf.constant([[0.5, -0.4], [0.3, 0.2]])
x = tf.constant([0.2, 1.0])
with tf.GradientTape() as tape:
    tape.watch([W, x])
    y = equilibrium(W, x)
    again = tf.tanh(tf.linalg.matvec(W, y) + x)
print("y             ", y.numpy())
print("tanh(W y + x) ", again.numpy())
downstream_W, downstream_x = tape.gradient(
    y, [W, x], output_gradients=tf.constant([1.0, 10.0])
)
print("downstream_W  ", downstream_W.numpy().tolist())
print("downstream_x  ", downstream_x.numpy())
