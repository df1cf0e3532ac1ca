"""Deliberately wrong: the gradient of a matrix is returned transposed."""

import tensorflow as tf


@tf.custom_gradient
def dense(x, w):
    def grad(upstream):
        return (tf.matmul(upstream, w, transpose_b=True),
                tf.matmul(upstream, x, transpose_a=True))

    return x @ w, grad


def low_rank(x, left, right):
    return dense(x, left @ right)


x = tf.ones([4, 3])
left, right = tf.ones([3, 1]), tf.ones([1, 2])
with tf.GradientTape() as tape:
    tape.watch([left, right])
    y = low_rank(x, left, right)
try:
    tape.gradient(y, [left, right])
except tf.errors.InvalidArgumentError as error:
    message = str(error).partition("}} ")[2].partition(" [Op:")[0]
    print(f"{type(error).__name__}: {message}")
