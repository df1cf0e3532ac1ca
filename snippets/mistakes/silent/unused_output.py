"""An upstream gradient of zeros adds zeros."""

import tensorflow as tf


def unit(upstream):
    return tf.math.divide_no_nan(upstream, tf.norm(upstream))


# truth: upstream becomes tf.math.divide_no_nan(upstream, tf.norm(upstream))
@tf.custom_gradient
def two(x):
    def grad(upstream_y, upstream_z):
        return 2.0 * unit(upstream_y) + 3.0 * unit(upstream_z)

    return (2.0 * x, 3.0 * x), grad


x = tf.constant([1.0, 1.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.reduce_sum([3.0, 4.0] * two(x)[0])
gradient = tape.gradient(y, x)
assert tf.reduce_all(tf.math.is_finite(gradient))
print("custom", gradient.numpy())
print("right ", (2.0 * unit(tf.constant([3.0, 4.0]))).numpy())
