"""Solution: the value of sign, with the derivative of a clipped line."""

import tensorflow as tf


# truth: the gradient of tf.clip_by_value(x, -1.0, 1.0)
@tf.custom_gradient
def sign(x):
    def grad(upstream):
        local = tf.cast(tf.abs(x) <= 1.0, x.dtype)
        downstream = upstream * local
        tf.print("upstream   =", upstream)
        tf.print("local      =", local)
        tf.print("downstream =", downstream)
        return downstream

    return tf.sign(x), grad


def shifted(x):
    y_tilde = tf.clip_by_value(x, -1.0, 1.0)
    return y_tilde + tf.stop_gradient(tf.sign(x) - y_tilde)


def gradient(function):
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = 0.5 * tf.reduce_sum((function(x) + 2.0) ** 2)
    return tape.gradient(loss, x).numpy()


x = tf.constant([-1.0, -0.5, 0.0, 1.0, 3.0])
tf.print("x          =", x)
print("custom     =", gradient(sign))
print("autodiff   =", gradient(shifted))
