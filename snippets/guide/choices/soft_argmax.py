"""A position with a gradient: soft argmax, beside TensorFlow's gradient."""

import tensorflow as tf


def show(name, value):
    tf.print(f"{name:10}", tf.strings.as_string(value, precision=4))


def custom(c, beta):
    # truth: x = 2.0 + tf.sigmoid(x); x.shape[-1] == 4
    @tf.custom_gradient
    def soft_argmax(x):
        p = tf.nn.softmax(beta * x)
        y = tf.reduce_sum(c * p, axis=-1)

        def grad(upstream):
            upstream_i, y_i = upstream[..., None], y[..., None]
            downstream = upstream_i * beta * p * (c - y_i)
            show("upstream", upstream)
            show("downstream", downstream)
            return downstream

        return y, grad

    return soft_argmax


def automatic(c, beta):
    return lambda x: tf.reduce_sum(c * tf.nn.softmax(beta * x))


x = tf.constant([2.1, 2.3, 2.95, 2.5])
c = tf.range(4.0)
for beta in 1.0, 10.0:
    for make in custom, automatic:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = make(c, beta)(x)
            L = (y - 1.0) ** 2
        if make is custom:
            tf.print(f"beta = {beta:g}")
            show("y", y)
        gradient = tape.gradient(L, x)
    show("TensorFlow", gradient)
