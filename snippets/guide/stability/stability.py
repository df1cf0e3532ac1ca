"""log(1 + e^x) without overflow: softplus forward, sigmoid backward."""

import tensorflow as tf


@tf.custom_gradient
def softplus(x):
    y = tf.maximum(x, 0.0) + tf.math.log1p(tf.exp(-tf.abs(x)))
    tf.print("forward  x =", x, " y =", y)

    def grad(upstream):
        local = tf.sigmoid(x)
        downstream = upstream * local
        tf.print("backward x =", x, " upstream =", upstream,
                 " local =", local, " downstream =", downstream)
        return downstream

    return y, grad


for value in (-20.0, 0.0, 88.0, 100.0):
    x = tf.constant(value)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            loss = 3.0 * softplus(x)
        first = inner.gradient(loss, x)
    second = outer.gradient(first, x)
    print(f"x = {value:5.1f}  loss = {loss:.6g}  first = {first:.6g}"
          f"  second = {second:.3g}")
