"""The gradients of LSQ, and of three wrong copies, beside the formulas."""

import tensorflow as tf


# truth: the gradient of tf.identity
@tf.custom_gradient
def straight_round(v):
    return tf.round(v), lambda upstream: upstream


# truth: upstream becomes factor * upstream; factor needs no gradient
# truth: factor.shape == []
@tf.custom_gradient
def scale_gradient(s, factor):
    return tf.identity(s), lambda upstream: (factor * upstream, None)


def quantize(x, s, low, high, count, mistake):
    factor = 1.0 if mistake == "no scale" else (count * high) ** -0.5
    s = scale_gradient(s, factor)
    v = x / (tf.stop_gradient(s) if mistake == "constant divisor" else s)
    clipped = tf.clip_by_value(v, low, high)
    if mistake == "no range":
        clipped = v + tf.stop_gradient(clipped - v)
    return s * straight_round(clipped)


def by_formula(x, s, low, high, count, upstream):
    v = x / s
    inside = tf.cast((low <= v) & (v <= high), x.dtype)
    r = tf.round(tf.clip_by_value(v, low, high))
    scale = (count * high) ** -0.5
    return (upstream * inside,
            scale * tf.reduce_sum(upstream * (r - inside * v)))


x = tf.random.stateless_normal([1000], seed=[1, 2])
s = tf.constant(0.5)
upstream = tf.random.stateless_normal([1000], seed=[3, 4])
settings = -3.0, 3.0, 1000.0
right = by_formula(x, s, *settings, upstream)


def gradients(mistake):
    with tf.GradientTape() as tape:
        tape.watch([x, s])
        q = quantize(x, s, *settings, mistake)
    return tape.gradient(q, [x, s], output_gradients=upstream)


for mistake in "none", "no scale", "constant divisor", "no range":
    for mode in lambda f: f, tf.function:
        found = mode(gradients)(mistake)
        errors = [tf.reduce_max(tf.abs(a - b)) for a, b in zip(found, right)]
        print(f"{mistake:16} wrong by", *(f"{error:.2f}" for error in errors))
