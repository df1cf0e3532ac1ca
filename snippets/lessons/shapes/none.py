"""An integer input gets None: x to the power n, in two dtypes."""

import tensorflow as tf


@tf.custom_gradient
def power(x, n):
    exponent = tf.cast(n, x.dtype)
    y = x**exponent

    def grad(upstream):
        local = exponent * x**(exponent - 1)
        downstream = upstream * local
        tf.print("  upstream =", upstream, " local =", local,
                 " downstream =", downstream)
        return downstream, None

    return y, grad


n = tf.constant(3)
for dtype in (tf.float32, tf.float64):
    x = tf.constant([1.0, 2.0], dtype)
    print(f"x is {dtype.name}, n is {n.dtype.name}")
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = power(x, n)
        loss = tf.reduce_sum(y * [1, 10])
    dx, dn = tape.gradient(loss, [x, n])
    print("  gradient of x:", dx.numpy(), dx.dtype.name)
    print("  gradient of n:", dn)
