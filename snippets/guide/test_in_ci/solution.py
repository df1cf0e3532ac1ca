"""A test of a custom gradient that needs only TensorFlow."""

import tensorflow as tf


@tf.custom_gradient
def unit(x):
    length = tf.norm(x, axis=-1, keepdims=True)
    y = x / length

    def grad(upstream):
        along = tf.reduce_sum(upstream * y, axis=-1, keepdims=True)
        return (upstream - y * along) / length

    return y, grad


def test_unit():
    x = tf.constant([[0.3, -1.2, 2.0], [0.5, 0.1, -0.4]], tf.float64)
    weights = tf.constant([[0.7, -1.1, 0.4], [2.0, 0.3, -0.6]], tf.float64)
    returned, differences = tf.test.compute_gradient(
        lambda x: tf.reduce_sum(weights * unit(x)), [x]
    )
    error = abs(returned[0] - differences[0]).max()
    print("gradient", returned[0].round(4))
    print("error below 1e-4:", error < 1e-4)
    assert error < 1e-4


test_unit()
