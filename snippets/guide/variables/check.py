"""The gradients of the variables against central differences of the layer."""

import numpy as np
import tensorflow as tf

W = tf.Variable(tf.random.stateless_normal([3, 2], [1, 2], dtype=tf.float64))
b = tf.Variable(tf.random.stateless_normal([2], [3, 4], dtype=tf.float64))
x = tf.random.stateless_normal([4, 3], [5, 6], dtype=tf.float64)
weights = tf.random.stateless_normal([4, 2], [7, 8], dtype=tf.float64)


# truth: x.shape.rank == 2
@tf.custom_gradient
def dense(x):
    def grad(upstream, variables):
        downstream = {W.ref(): tf.matmul(x, upstream, transpose_a=True),
                      b.ref(): tf.reduce_sum(upstream, axis=0)}
        return (tf.matmul(upstream, W, transpose_b=True),
                [downstream[v.ref()] for v in variables])

    return tf.matmul(x, W) + b, grad


def loss():
    return tf.reduce_sum(weights * tf.tanh(dense(x)))


def gradients():
    with tf.GradientTape() as tape:
        value = loss()
    return tape.gradient(value, [W, b])


def differences(variable, h=1e-6):
    start, slopes = variable.numpy(), np.empty(variable.shape)
    for place in np.ndindex(*variable.shape):
        step = np.zeros_like(start)
        step[place] = h
        variable.assign(start + step)
        above = loss()
        variable.assign(start - step)
        slopes[place] = (above - loss()) / (2.0 * h)
    variable.assign(start)
    return slopes


for mode, run in ("eager", gradients), ("graph", tf.function(gradients)):
    for name, variable, by_rule in zip("Wb", [W, b], run()):
        error = np.max(abs(by_rule - differences(variable)))
        print(f"{mode} {name}  gradient[0] = {np.ravel(by_rule)[0]:.6f}"
              f"  error below 1e-8: {error < 1e-8}")
