"""A gradient of the determinant that also holds at a singular matrix."""

import numpy as np
import tensorflow as tf


# truth: X.shape.rank == 2; first derivative only
@tf.custom_gradient
def det(X):
    def grad(upstream):
        s, U, V = tf.linalg.svd(X)
        others = (tf.math.cumprod(s, -1, exclusive=True)
                  * tf.math.cumprod(s, -1, exclusive=True, reverse=True))
        scale = upstream * tf.linalg.det(U) * tf.linalg.det(V)
        return (scale[..., tf.newaxis, tf.newaxis]
                * (U * others[..., tf.newaxis, :])
                @ tf.linalg.matrix_transpose(V))

    return tf.linalg.det(X), grad


def by_differences(X, h=1e-5):
    result = np.zeros(X.shape)
    for index in np.ndindex(*X.shape):
        step = np.zeros(X.shape)
        step[index] = h
        result[index] = (tf.linalg.det(X + step)
                         - tf.linalg.det(X - step)) / (2 * h)
    return result


def shown(array):
    return (np.round(array, 4) + 0.0).tolist()


for name, X in (("invertible", [[1.0, 2.0], [3.0, 4.0]]),
                ("rank 1", [[1.0, 2.0], [2.0, 4.0]]),
                ("rank 0", [[0.0, 0.0], [0.0, 0.0]])):
    X = tf.constant(X, tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = det(X)
    print(f"{name}: det = {shown(y)}")
    print("  custom     ", shown(tape.gradient(y, X)))
    print("  differences", shown(by_differences(X)))
