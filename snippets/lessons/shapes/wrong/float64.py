"""Deliberately wrong: grad computes in float64 and doesn't cast back."""

# tracebook: raises InvalidArgumentError

import tensorflow as tf


@tf.custom_gradient
def row_sums(x):
    def grad(upstream):
        accurate = tf.cast(upstream, tf.float64)
        return (2.0 * accurate[:, tf.newaxis]
                * tf.ones_like(x, dtype=tf.float64))

    return 2.0 * tf.reduce_sum(x, axis=1), grad


x = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    alone = tf.reduce_sum(row_sums(x))
    after_sin = tf.reduce_sum(row_sums(tf.sin(x)))

print("x is", x.dtype.name)
print("alone: the gradient is", tape.gradient(alone, x).dtype.name)
with tf.Graph().as_default():
    symbol = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    [gradient] = tf.gradients(row_sums(symbol), symbol)
    print("in tf.gradients: the gradient is", gradient.dtype.name)
print("after tf.sin:")
tape.gradient(after_sin, x)
