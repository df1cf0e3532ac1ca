"""The gradient of the layer, unrolled and by central differences."""

import numpy as np
import tensorflow as tf


def iterate(W, x):
    y = tf.zeros_like(x)
    for _ in range(60):
        y = tf.tanh(tf.linalg.matvec(W, y) + x)
    return y


# truth: W = 0.5 * W / (1.0 + tf.norm(W)); W.shape == x.shape + x.shape
# truth: abs(x) < 3; x.shape.rank == 1
@tf.custom_gradient
def equilibrium(W, x):
    def grad(upstream):
        y = equilibrium(W, x)
        A = tf.linalg.diag(1.0 / (1.0 - y * y)) - W
        w = tf.linalg.solve(A, upstream[:, None], adjoint=True)[:, 0]
        return w[:, None] * y, w

    return iterate(tf.stop_gradient(W), tf.stop_gradient(x)), grad


def gradients(function, W, x):
    with tf.GradientTape() as tape:
        tape.watch([W, x])
        loss = tf.reduce_sum(upstream * function(W, x))
    return tf.concat(
        [tf.reshape(each, [-1]) for each in tape.gradient(loss, [W, x])], 0
    )


rng = np.random.default_rng(1)
W = rng.standard_normal([5, 5])
W = tf.constant(0.5 * W / np.linalg.norm(W, 2))
x, upstream, dx = (tf.constant(rng.standard_normal(5)) for _ in range(3))
dW = tf.constant(0.1 * rng.standard_normal([5, 5]))
h = 1e-5
plus, minus = ((W + s * dW, x + s * dx) for s in (h, -h))
slope = tf.reduce_sum(upstream * (iterate(*plus) - iterate(*minus))) / (2 * h)
direction = tf.concat([tf.reshape(dW, [-1]), dx], 0)
by_custom, by_loop = (gradients(each, W, x) for each in (equilibrium, iterate))
print(f"custom      {tf.reduce_sum(by_custom * direction):.8f}")
print(f"unrolled    {tf.reduce_sum(by_loop * direction):.8f}")
print(f"differences {slope:.8f}")

with tf.GradientTape() as tape:
    tape.watch([W, x])
    slope = tf.reduce_sum(gradients(equilibrium, W, x) * direction)
second = tape.gradient(slope, [W, x])
found = sum(tf.reduce_sum(g * d) for g, d in zip(second, (dW, dx)))
change = gradients(iterate, *plus) - gradients(iterate, *minus)
print(f"second order: custom      {found:.7f}")
change = tf.reduce_sum(direction * change) / (2 * h)
print(f"              differences {change:.7f}")
