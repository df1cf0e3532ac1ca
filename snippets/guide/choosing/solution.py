"""Quantized in steps of 0.25, with the derivative of clipping to [-1, 1]."""

import tensorflow as tf


def quantize(x):
    return tf.round(4.0 * tf.clip_by_value(x, -1.0, 1.0)) / 4.0


def by_trick(x):
    s = tf.clip_by_value(x, -1.0, 1.0)
    return tf.stop_gradient(quantize(x)) + (s - tf.stop_gradient(s))


# truth: the gradient of tf.clip_by_value(x, -1.0, 1.0)
@tf.custom_gradient
def by_custom(x):
    def grad(upstream):
        local = tf.cast(tf.abs(x) <= 1.0, x.dtype)
        downstream = upstream * local
        tf.print("backward upstream =", upstream, " local =", local,
                 " downstream =", downstream)
        return downstream

    return quantize(x), grad


# truth: the gradient of x
passed = tf.grad_pass_through(quantize)
x = tf.constant([-2.0, -1.0, 0.3, 1.0, 2.0])
for name, function in (("trick", by_trick), ("custom", by_custom),
                       ("pass through", passed)):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
        loss = tf.reduce_sum(y ** 2)
    print(f"{name:12}  y = {y}  gradient = {tape.gradient(loss, x)}")
