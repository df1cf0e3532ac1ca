"""Deliberately wrong: a step for float64 in a check that runs in float32."""

import tensorflow as tf


# truth: the rule is right
@tf.custom_gradient
def cube(x):
    return x * x * x, lambda upstream: upstream * 3.0 * x * x


for dtype, delta in ((tf.float32, 1e-6), (tf.float32, 1e-2),
                     (tf.float64, 1e-6)):
    x = tf.constant([1.3, -0.7, 1.0], dtype)
    custom, numeric = tf.test.compute_gradient(cube, [x], delta)
    print(dtype.name, "step", delta)
    print("  custom gradient   ", custom[0].diagonal().round(4))
    print("  finite differences", numeric[0].diagonal().round(4))
