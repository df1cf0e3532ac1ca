"""Deliberately wrong: a convolution that fails for an empty batch."""
# tracebook: raises InvalidArgumentError

import tensorflow as tf


@tf.custom_gradient
def conv(X, K):
    def grad(upstream):
        # Exchange batch and channels: the batch becomes the depth.
        downstream_K = tf.nn.conv2d(
            tf.transpose(X, [3, 1, 2, 0]),
            tf.transpose(upstream, [1, 2, 0, 3]), 1, "VALID")
        downstream_X = tf.nn.conv2d_transpose(
            upstream, K, tf.shape(X), 1, "VALID")
        return downstream_X, tf.transpose(downstream_K, [1, 2, 0, 3])

    return tf.nn.conv2d(X, K, 1, "VALID"), grad


K = tf.ones([2, 2, 1, 2], tf.float64)
for function in (lambda X, K: tf.nn.conv2d(X, K, 1, "VALID"), conv):
    for batch in (1, 0):
        X = tf.ones([batch, 3, 4, 1], tf.float64)
        with tf.GradientTape() as tape:
            tape.watch(K)
            Y = function(X, K)
        gradient = tape.gradient(Y, K)
        print("batch of", batch, gradient.numpy().ravel().tolist())
