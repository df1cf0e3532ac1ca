"""Deliberately wrong: the gradient of an FFT, for real numbers."""

import tensorflow as tf


@tf.custom_gradient
def rfft(x):
    n = x.shape[-1]
    return tf.signal.rfft(x), lambda upstream: n * tf.signal.irfft(upstream)


weights = tf.constant([0.5, 1.0, 2.0], tf.float64)
x = tf.constant([1.0, 2.0, -1.0, 0.5], tf.float64)
for name, transform in ("custom", rfft), ("TensorFlow", tf.signal.rfft):
    with tf.GradientTape() as tape:
        tape.watch(x)
        L = tf.reduce_sum(weights * tf.abs(transform(x)) ** 2)
    print(f"{name:10}", tape.gradient(L, x).numpy())
