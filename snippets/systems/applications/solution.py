"""A bar in one dimension: an edge gets the upstream gradient of its pixel."""

import numpy as np
import tensorflow as tf

N, SUB = 8, 100


def shares(a, b):
    """The exact length between a and b, for each pixel."""
    k = tf.range(N, dtype=a.dtype)
    return tf.nn.relu(tf.minimum(k + 1, b) - tf.maximum(k, a))


# truth: the gradient of shares
# truth: a = 2.0 + tf.tanh(a); b = 6.0 + tf.tanh(b)
# truth: a.shape.rank == 0; b.shape.rank == 0; first derivative only
@tf.custom_gradient
def bar(a, b):
    at = (tf.range(N * SUB, dtype=a.dtype) + 0.5) / SUB
    inside = tf.cast((a < at) & (at < b), a.dtype)

    def grad(upstream):
        return (-tf.gather(upstream, tf.cast(tf.floor(a), tf.int32)),
                tf.gather(upstream, tf.cast(tf.floor(b), tf.int32)))

    return tf.reduce_mean(tf.reshape(inside, [N, SUB]), 1), grad


a, b = tf.constant(1.3, tf.float64), tf.constant(5.6, tf.float64)
upstream = np.random.default_rng(0).standard_normal(N).round(2)
with tf.GradientTape() as tape:
    tape.watch([a, b])
    y = bar(a, b)
downstream_a, downstream_b = tape.gradient(y, [a, b], upstream)
h = 1e-6
by_a, by_b = (np.sum(upstream * (up - down)) / (2 * h) for up, down in (
    (shares(a + h, b), shares(a - h, b)),
    (shares(a, b + h), shares(a, b - h))))
print("y           ", y.numpy())
print("upstream    ", upstream)
print(f"downstream_a = {downstream_a:.2f}  finite difference {by_a:.2f}")
print(f"downstream_b = {downstream_b:.2f}  finite difference {by_b:.2f}")
