"""log(sum(exp(x))): shift the exponents forward, use softmax backward."""

import tensorflow as tf


@tf.custom_gradient
def logsumexp(x):
    m = tf.reduce_max(x, axis=-1, keepdims=True)
    m = tf.where(tf.math.is_finite(m), m, tf.zeros_like(m))
    weights = tf.exp(x - m)
    total = tf.reduce_sum(weights, axis=-1, keepdims=True)
    y = m + tf.math.log(total)

    def grad(upstream):
        local = tf.math.divide_no_nan(weights, total)
        downstream = upstream[..., tf.newaxis] * local
        tf.print("backward upstream =", upstream, " local =", local)
        return downstream

    return y[..., 0], grad


def naive(x):
    return tf.math.log(tf.reduce_sum(tf.exp(x), axis=-1))


def library(x):
    return tf.reduce_logsumexp(x, axis=-1)


inf = float("inf")
for row in ([1.0, 2.0, 3.0], [1000.0, 1001.0], [-inf, 0.0], [-inf, -inf]):
    x = tf.constant([row])
    print("x =", row)
    for name, function in (("custom", logsumexp), ("naive", naive),
                           ("library", library)):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        dx = tape.gradient(y, x)
        print(f"  {name:7} {y[0]:9.4f} ", *[f"{g:7.4f}" for g in dx[0]])
