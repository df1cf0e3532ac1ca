"""A table looked up with np.interp: the slope of a segment, and weights."""

import numpy as np
import tensorflow as tf

knots = tf.constant([0.0, 1.0, 2.0, 4.0])


def weights_of(x, knots):
    k = np.clip(np.searchsorted(knots, x) - 1, 0, len(knots) - 2)
    w = (x - knots[k]) / (knots[k + 1] - knots[k])
    return k.astype(np.int32), np.clip(w, 0, 1)


# truth: x.shape.rank == 1; f.shape == knots.shape
# truth: f = 1.0 * f
# truth: first derivative only
@tf.custom_gradient
def table(x, f):
    y = tf.numpy_function(np.interp, [x, knots, f], tf.float64)
    y = tf.ensure_shape(tf.cast(y, x.dtype), x.shape)

    def grad(upstream):
        p = tf.cast(knots, x.dtype)
        k, w = tf.numpy_function(weights_of, [x, p], [tf.int32, x.dtype])
        k, w = tf.ensure_shape(k, x.shape), tf.ensure_shape(w, x.shape)
        rise = tf.gather(f, k + 1) - tf.gather(f, k)
        run = tf.gather(p, k + 1) - tf.gather(p, k)
        inside = (x >= p[0]) & (x <= p[-1])
        slope = tf.where(inside, rise / run, tf.zeros_like(x))
        x_bar = upstream * slope
        f_bar = tf.math.unsorted_segment_sum(
            tf.concat([upstream * (1 - w), upstream * w], 0),
            tf.concat([k, k + 1], 0), len(knots))
        return x_bar, f_bar

    return y, grad


x = tf.constant([0.5, 1.25, 3.0, 6.0])
f = tf.constant([0.0, 1.0, 4.0, 16.0])
with tf.GradientTape() as tape:
    tape.watch([x, f])
    y = table(x, f)
x_bar, f_bar = tape.gradient(y, [x, f])
print("y     =", y.numpy())
print("x_bar =", x_bar.numpy())
print("f_bar =", f_bar.numpy())
