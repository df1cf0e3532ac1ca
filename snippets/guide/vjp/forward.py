"""Rows backward, columns forward, and two inner products that agree."""

import numpy as np
import tensorflow as tf


def plain(x):
    return tf.stack([x[0] * x[1], x[1] * tf.sin(x[2])])


@tf.custom_gradient
def pair(x):
    x1, x2, x3 = tf.unstack(x)

    def grad(upstream):
        u1, u2 = tf.unstack(upstream)
        return tf.stack([u1 * x2, u1 * x1 + u2 * tf.sin(x3),
                         u2 * x2 * tf.cos(x3)])

    return plain(x), grad


def vjp(f, x, upstream):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x, output_gradients=upstream)


def jvp(f, x, dx):
    with tf.autodiff.ForwardAccumulator(x, dx) as forward:
        y = f(x)
    return forward.jvp(y)


x, dx = tf.constant([2.0, 3.0, 0.0]), tf.constant([1.0, 10.0, 100.0])
upstream = tf.constant([5.0, -1.0])
print("VJP", upstream.numpy(), "->", vjp(pair, x, upstream).numpy())
print("JVP", dx.numpy(), "->", jvp(plain, x, dx).numpy())

rng = np.random.default_rng(0)
for _ in range(3):
    x, dx, upstream = (tf.constant(rng.normal(size=k)) for k in (3, 3, 2))
    h = 1e-6
    slope = (plain(x + h * dx) - plain(x - h * dx)) / (2 * h)
    print(f"<u, differences> = {np.dot(upstream, slope):9.6f}"
          f"  <u, J dx> = {np.dot(upstream, jvp(plain, x, dx)):9.6f}"
          f"  <u J, dx> = {np.dot(vjp(pair, x, upstream), dx):9.6f}")
