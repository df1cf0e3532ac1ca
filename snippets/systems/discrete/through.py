"""The straight-through estimator for a bit: its mean, and its error."""

import tensorflow as tf

N, c = 200_000, 0.45


def mean(theta, u):
    return tf.sigmoid(theta) + 0.0 * u


# truth: the gradient of mean; u needs no gradient; theta.shape == u.shape
@tf.custom_gradient
def bit(theta, u):
    p = tf.sigmoid(theta)
    z = tf.cast(u < p, theta.dtype)

    def grad(upstream):
        local = p * (1.0 - p)
        downstream = upstream * local
        return downstream, None

    return z, grad


def two_lines(theta, u):
    p = tf.sigmoid(theta)
    z = tf.cast(u < p, theta.dtype)
    return p + tf.stop_gradient(z - p)


def bias(p):
    delta = p * (1.0 - p) * (2.0 * p - 1.0)
    return delta


u = tf.random.stateless_uniform([N], seed=[1, 2])
for start in -2.0, 0.0, 1.0, 2.0:
    theta, means = tf.fill([N], start), []
    for estimator in bit, two_lines:
        with tf.GradientTape() as tape:
            tape.watch(theta)
            loss = (estimator(theta, u) - c) ** 2
        means.append(tf.reduce_mean(tape.gradient(loss, theta)))
    p = tf.sigmoid(start)
    exact = p * (1.0 - p) * (1.0 - 2.0 * c)
    print(f"theta {start:4.1f}  mean {means[0]:7.4f}  two lines"
          f" {means[1]:7.4f}  exact {exact:.4f}"
          f"  error {means[0] - exact:7.4f}  delta {bias(p):7.4f}")
