"""A linear system whose matrix is never formed; grad calls solve twice."""

import tensorflow as tf


def times(c, y):
    """A y for a bar of cells; c has the conductivities between neighbors."""
    flow = c * (y[1:] - y[:-1])
    return y - tf.pad(flow, [[0, 1]]) + tf.pad(flow, [[1, 0]])


def conjugate_gradients(c, b):
    y, r, p = tf.zeros_like(b), b, b
    rr = tf.reduce_sum(r * r)
    for _ in range(2 * b.shape[0]):
        q = times(c, p)
        step = tf.math.divide_no_nan(rr, tf.reduce_sum(p * q))
        y, r, before = y + step * p, r - step * q, rr
        rr = tf.reduce_sum(r * r)
        p = r + tf.math.divide_no_nan(rr, before) * p
    return y


# truth: 0 < c < 9; c.shape.rank == 1; c.shape[0] + 1 == b.shape[0]
@tf.custom_gradient
def solve(c, b):
    y = conjugate_gradients(tf.stop_gradient(c), tf.stop_gradient(b))

    def grad(upstream):
        y, w = solve(c, b), solve(c, upstream)
        with tf.GradientTape() as tape:
            tape.watch(c)
            product = times(c, y)
        tf.print("w =", w)
        return tape.gradient(product, c, output_gradients=-w), w

    return y, grad


c = tf.constant([1.0, 2.0, 4.0], tf.float64)
b = tf.constant([10.0, 0.0, 0.0, 0.0], tf.float64)
with tf.GradientTape() as tape:
    tape.watch([c, b])
    y = solve(c, b)
    loss = y[3]
downstream_c, downstream_b = tape.gradient(loss, [c, b])
print("y            =", y.numpy().round(6))
print("downstream_b =", downstream_b.numpy().round(6))
print("downstream_c =", downstream_c.numpy().round(6))
h = 1e-4
slopes = [
    (conjugate_gradients(c + s, b)
     - conjugate_gradients(c - s, b))[3] / (2.0 * h)
    for s in h * tf.eye(3, dtype=c.dtype)
]
print("differences  =", tf.stack(slopes).numpy().round(6))
