"""The gradient of the Cholesky factor, compared with finite differences."""

import numpy as np
import tensorflow as tf


# truth: X = X @ tf.transpose(X) + 0.5 * tf.eye(2, dtype=X.dtype)
# truth: X.shape.rank == 2
@tf.custom_gradient
def cholesky(X):
    Y = tf.linalg.cholesky(X)

    def grad(upstream):
        S = tf.linalg.band_part(tf.transpose(Y) @ upstream, -1, 0)
        S = tf.linalg.set_diag(S, 0.5 * tf.linalg.diag_part(S))
        left = tf.linalg.triangular_solve(Y, S, adjoint=True)
        H = tf.transpose(tf.linalg.triangular_solve(
            Y, tf.transpose(left), adjoint=True))
        return 0.5 * (H + tf.transpose(H))

    return Y, grad


X = tf.constant([[4.0, 2.0], [2.0, 3.0]], tf.float64)
upstream = tf.constant([[1.0, 0.0], [10.0, 100.0]], tf.float64)
with tf.GradientTape(persistent=True) as tape:
    tape.watch(X)
    Y = cholesky(X)
    builtin = tf.linalg.cholesky(X)
downstream = tape.gradient(Y, X, output_gradients=upstream)
print("Y          ", np.round(Y, 6).tolist())
print("downstream ", np.round(downstream, 6).tolist())
print("TensorFlow ", np.round(
    tape.gradient(builtin, X, output_gradients=upstream), 6).tolist())

h = 1e-5
for name, V in (("X11", [[1.0, 0.0], [0.0, 0.0]]),
                ("X12 and X21", [[0.0, 1.0], [1.0, 0.0]]),
                ("X22", [[0.0, 0.0], [0.0, 1.0]])):
    V = tf.constant(V, tf.float64)
    change = tf.linalg.cholesky(X + h * V) - tf.linalg.cholesky(X - h * V)
    difference = tf.reduce_sum(upstream * change) / (2 * h)
    print(f"{name:12} custom {tf.reduce_sum(downstream * V):10.5f}"
          f"  differences {difference:10.5f}")
