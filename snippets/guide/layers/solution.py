"""RMS normalization, against autodiff and finite differences."""

import numpy as np
import tensorflow as tf

EPSILON = 1e-3


def mean(x):
    return tf.reduce_mean(x, axis=-1, keepdims=True)


def plain(x):
    return x / tf.sqrt(mean(x * x) + EPSILON)


@tf.custom_gradient
def rms_norm(x):
    s = tf.sqrt(mean(x * x) + EPSILON)
    r = x / s

    def grad(upstream):
        return (upstream - r * mean(upstream * r)) / s

    return r, grad


x = tf.constant([1.0, 2.0, 6.0], tf.float64)
upstream = tf.constant([1.0, 10.0, 100.0], tf.float64)
for function in (rms_norm, plain):
    with tf.GradientTape() as tape:
        tape.watch(x)
        r = function(x)
    downstream = tape.gradient(r, x, output_gradients=upstream)
    print(f"{function.__name__:11}", np.round(downstream, 5).tolist())

h = 1e-5
print("differences", [round(float(tf.reduce_sum(
    upstream * (plain(x + v) - plain(x - v)))) / (2 * h), 5)
    for v in h * np.eye(3)])
