"""Ridge regression: the gradient with respect to the penalty."""

import numpy as np
import tensorflow as tf


# truth: lambda_ > 0; lambda_.shape.rank == 0; first derivative only
# truth: X needs no gradient; t needs no gradient
@tf.custom_gradient
def ridge(X, t, lambda_):
    A = tf.linalg.matmul(X, X, transpose_a=True)
    A += lambda_ * tf.eye(X.shape[1], dtype=X.dtype)
    b = tf.linalg.matvec(X, t, transpose_a=True)
    y = tf.linalg.solve(A, b[:, None])[:, 0]

    def grad(upstream):
        w = tf.linalg.solve(A, upstream[:, None])[:, 0]
        return None, None, -tf.reduce_sum(w * y)

    return y, grad


def held_out(log_lambda):
    y = ridge(X[:12], t[:12], tf.exp(log_lambda))
    return tf.reduce_mean((tf.linalg.matvec(X[12:], y) - t[12:]) ** 2)


rng = np.random.default_rng(3)
X = tf.constant(rng.standard_normal([40, 8]))
t = tf.linalg.matvec(X, tf.constant([1.0, -1.0, 0.5] + 5 * [0.0], X.dtype))
t += 1.5 * rng.standard_normal(40)
log_lambda = tf.Variable(-2.0, dtype=X.dtype)
for i in range(31):
    with tf.GradientTape() as tape:
        loss = held_out(log_lambda)
    gradient = tape.gradient(loss, log_lambda)
    if i % 10 == 0:
        h = 1e-5
        slope = (held_out(log_lambda + h) - held_out(log_lambda - h)) / (2 * h)
        print(
            f"step {i:2d}  lambda = {tf.exp(log_lambda):8.4f}"
            f"  loss = {loss:.5f}  gradient = {gradient:9.6f}"
            f"  differences = {slope:9.6f}"
        )
    log_lambda.assign_sub(0.3 * gradient)
