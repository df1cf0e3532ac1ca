"""A 2-D convolution as a matrix product; its gradient folds patches back."""

import numpy as np
import tensorflow as tf


def patches(X, height, width):
    """One row of height * width * channels numbers for each position."""
    return tf.image.extract_patches(
        X, [1, height, width, 1], [1] * 4, [1] * 4, "VALID")


# truth: K.shape == [2, 2, 1, 2]; X.shape[1:] == [3, 4, 1]
@tf.custom_gradient
def conv(X, K):
    height, width, channels, outputs = K.shape

    def grad(upstream):
        P = tf.reshape(patches(X, height, width),
                       [-1, height * width * channels])
        Y_bar = tf.reshape(upstream, [-1, outputs])
        K_bar = tf.transpose(P) @ Y_bar
        downstream_X = tf.nn.conv2d_transpose(
            upstream, K, tf.shape(X), 1, "VALID")
        return downstream_X, tf.reshape(K_bar, K.shape)

    return tf.nn.conv2d(X, K, 1, "VALID"), grad


X = tf.reshape(tf.range(12, dtype=tf.float64), [1, 3, 4, 1])
K = tf.reshape(tf.range(8, dtype=tf.float64), [2, 2, 1, 2])
upstream = tf.reshape(tf.range(12, dtype=tf.float64), [1, 2, 3, 2])
with tf.GradientTape() as tape:
    tape.watch([X, K])
    Y = conv(X, K)
dX, dK = tape.gradient(Y, [X, K], output_gradients=upstream)
print("downstream_X, the image")
print(dX[0, :, :, 0].numpy())
print("downstream_K, for the first output")
print(dK[:, :, 0, 0].numpy())

rng = np.random.default_rng(0)
V, W = rng.standard_normal(X.shape), rng.standard_normal(K.shape)
plus, minus = (tf.nn.conv2d(X + h * V, K + h * W, 1, "VALID")
               for h in (1e-5, -1e-5))
print(f"grad        {np.sum(dX * V) + np.sum(dK * W):.5f}")
print(f"differences {np.sum(upstream * (plus - minus)) / 2e-5:.5f}")
