"""Five assertions for a custom gradient, with swish as the example."""

import numpy as np
import tensorflow as tf


@tf.custom_gradient
def swish(x):
    x = tf.identity(x)
    s = tf.sigmoid(x)

    def grad(upstream):
        return upstream * s * (1.0 + x * (1.0 - s))

    return x * s, grad


def gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.reduce_sum(weights * swish(x))
    return tape.gradient(loss, x)


def product(a, b):
    return tf.reduce_sum(a * b).numpy()


rng = np.random.default_rng(0)
x, v, weights = tf.constant(rng.standard_normal((3, 2, 4)))
h, found = 1e-5, gradient(x)
near = x + h * v, x - h * v

assert (found.shape, found.dtype) == (x.shape, x.dtype)  # 1
change = [product(weights, swish(each)) for each in near]
assert np.isclose(product(found, v), (change[0] - change[1]) / (2 * h))  # 2
assert np.allclose(tf.function(gradient)(x), found)  # 3
with tf.GradientTape() as tape:
    tape.watch(x)
    slope = tf.reduce_sum(v * gradient(x))
change = [product(v, gradient(each)) for each in near]
assert np.isclose(product(tape.gradient(slope, x), v),
                  (change[0] - change[1]) / (2 * h))  # 4
weights, edges = 1.0, tf.constant([-1e3, -1e-30, 0.0, 1e3])
assert np.isfinite(gradient(edges)).all()  # 5
print("All five pass.")
