"""Deliberately wrong: two pullbacks in the order of the forward pass."""

import tensorflow as tf

W = tf.constant([[1.0, 2.0], [3.0, 4.0]])


@tf.custom_gradient
def squares(x):
    h = tf.linalg.matvec(W, x)

    def grad(upstream):
        row = tf.linalg.matvec(W, upstream, transpose_a=True)
        return row * 2.0 * h

    return h * h, grad


# truth: the rule is right
@tf.custom_gradient
def reverse_order(x):
    h = tf.linalg.matvec(W, x)

    def grad(upstream):
        row = upstream * 2.0 * h
        return tf.linalg.matvec(W, row, transpose_a=True)

    return h * h, grad


def gradient(f, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.reduce_sum(f(x) * [1.0, 10.0])
    return tape.gradient(loss, x).numpy()


x = tf.constant([1.0, 1.0])
print("order of the forward pass:", gradient(squares, x))
print("reverse order:            ", gradient(reverse_order, x))
print("autodiff:                 ", gradient(
    lambda x: tf.square(tf.linalg.matvec(W, x)), x))
