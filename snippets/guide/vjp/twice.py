"""Forward mode from reverse mode: a JVP computed by two VJPs."""

import tensorflow as tf


def pair(x):
    return tf.stack([x[0] * x[1], x[1] * tf.sin(x[2])])


def jvp_from_vjps(f, x, dx):
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        row = tf.ones_like(y)  # any row: the result does not depend on it
        outer.watch(row)
        downstream = inner.gradient(y, x, output_gradients=row)
    return outer.gradient(downstream, row, output_gradients=dx)


x, dx = tf.constant([2.0, 3.0, 0.0]), tf.constant([1.0, 10.0, 100.0])
with tf.autodiff.ForwardAccumulator(x, dx) as forward:
    y = pair(x)
print("two VJPs:          ", jvp_from_vjps(pair, x, dx).numpy())
print("ForwardAccumulator:", forward.jvp(y).numpy())
