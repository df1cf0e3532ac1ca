"""NumPy computes in float64; results are cast to the dtype of the input."""

import numpy as np
import tensorflow as tf

weights = np.array([0.5, 0.25, 0.25])  # float64, as NumPy makes them


def smooth(x):
    return np.convolve(x, weights, mode="same").astype(x.dtype)


def smooth_back(y_bar):
    return np.correlate(y_bar, weights, mode="same").astype(y_bar.dtype)


# truth: x.shape.rank == 1; len(x) > 2; first derivative only
@tf.custom_gradient
def smoothed(x):
    y = tf.ensure_shape(tf.numpy_function(smooth, [x], x.dtype), x.shape)

    def grad(upstream):
        x_bar = tf.numpy_function(smooth_back, [upstream], upstream.dtype)
        return tf.ensure_shape(x_bar, x.shape)

    return y, grad


@tf.function
def gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.reduce_sum(smoothed(x) ** 2)
    return tape.gradient(loss, x)


for dtype in tf.float32, tf.float64:
    x = tf.constant([1.0, -2.0, 0.5, 3.0], dtype)
    print(dtype.name, gradient(x).numpy())
    p, step = x.numpy(), 1e-3
    moved = [
        (np.sum(smooth(p + step * e) ** 2) - np.sum(smooth(p - step * e) ** 2))
        / (2 * step)
        for e in np.eye(4, dtype=dtype.as_numpy_dtype)
    ]
    print("  difference off by less than 0.01:",
          bool(np.all(np.abs(gradient(x) - moved) < 0.01)))
