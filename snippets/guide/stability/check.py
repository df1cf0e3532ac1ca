"""The custom gradient of softplus against float64, over a range of x."""

import numpy as np
import tensorflow as tf


@tf.custom_gradient
def softplus(x):
    def grad(upstream):
        return upstream * tf.sigmoid(x)

    return tf.maximum(x, 0.0) + tf.math.log1p(tf.exp(-tf.abs(x))), grad


def derivatives(x, upstream):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = softplus(x)
        first = inner.gradient(y, x, output_gradients=upstream)
    return y.numpy(), first.numpy(), outer.gradient(first, x).numpy()


rng = np.random.default_rng(0)
x = np.linspace(-80, 80, 1601).astype(np.float32)
upstream = rng.standard_normal(x.size).astype(np.float32)
exact, u = x.astype(np.float64), upstream.astype(np.float64)
sigma = 1.0 / (1.0 + np.exp(-exact))
expected = (np.logaddexp(0.0, exact), u * sigma,
            u * sigma / (1.0 + np.exp(exact)))
names = ("value", "first", "second")
found = derivatives(tf.constant(x), tf.constant(upstream))
for name, a, b in zip(names, found, expected):
    error = abs(a - b)
    print(f"float32 {name:6}  finite: {np.isfinite(a).all()}"
          f"  error < 1e-6, absolute: {np.all(error <= 1e-6)}"
          f"  relative: {np.all(error <= 1e-6 * abs(b))}")

h, some = 1e-5, tf.constant([-30.0, -1.0, 0.0, 2.0, 30.0], tf.float64)
_, first, _ = derivatives(some, tf.ones_like(some))
differences = (softplus(some + h) - softplus(some - h)) / (2 * h)
print("float64 custom gradient - finite differences < 1e-9:",
      bool(tf.reduce_all(abs(first - differences) < 1e-9)))
