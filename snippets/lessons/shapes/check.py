"""Check shape, dtype and value of each gradient of the row sums."""

import numpy as np
import tensorflow as tf


# truth: s.shape == []
@tf.custom_gradient
def custom(s, x):
    r = tf.reduce_sum(x, axis=1)

    def grad(upstream):
        return (tf.reduce_sum(upstream * r),
                s * upstream[:, tf.newaxis] * tf.ones_like(x))

    return s * r, grad


def plain(s, x):
    return s * tf.reduce_sum(x, axis=1)


def loss(function, s, x):
    return tf.reduce_sum(function(s, x)**2 * [1, 10])


def by_tape(function, s, x):
    with tf.GradientTape() as tape:
        tape.watch([s, x])
        value = loss(function, s, x)
    return tape.gradient(value, [s, x])


def by_differences(function, at, h=1e-5):
    result = np.zeros(at.shape)
    for index in np.ndindex(*at.shape):
        step = np.zeros(at.shape)
        step[index] = h
        result[index] = (function(at + step) - function(at - step)) / (2 * h)
    return result.round(4)


for dtype in (tf.float32, tf.float64):
    s = tf.constant(2, dtype)
    x = tf.constant([[1, 2, 3], [4, 5, 6]], dtype)
    ds, dx = by_tape(custom, s, x)
    print(dtype.name, "gradients:", ds.shape, ds.dtype.name,
          "and", dx.shape, dx.dtype.name)
    assert (ds.shape, ds.dtype) == (s.shape, s.dtype)
    assert (dx.shape, dx.dtype) == (x.shape, x.dtype)

for way, (ds, dx) in (
        ("custom", by_tape(custom, s, x)),
        ("autodiff", by_tape(plain, s, x)),
        ("finite differences", (
            by_differences(lambda s: loss(plain, s, x), s),
            by_differences(lambda x: loss(plain, s, x), x)))):
    print(f"{way:18}  s: {float(ds)}  x: {np.array(dx).tolist()}")
