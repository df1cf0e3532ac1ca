"""Deliberately wrong: the gradient of a matrix product is a scalar."""

import tensorflow as tf


@tf.custom_gradient
def mean_square(y):
    def grad(upstream):
        return upstream * 2.0 * tf.reduce_mean(y)

    return tf.reduce_mean(y**2), grad


def loss(x, w):
    return mean_square(x @ w)


def gradient(x, w):
    with tf.GradientTape() as tape:
        tape.watch(w)
        y = loss(x, w)
    return tape.gradient(y, w)


x, w = tf.ones([4, 3]), tf.ones([3, 2])
for mode in gradient, tf.function(gradient, autograph=False):
    try:
        mode(x, w)
    except ValueError as error:
        message = str(error).partition(" for '")[0]
        print("ValueError:", message.rpartition("}} ")[2])
    except tf.errors.InvalidArgumentError as error:
        # The rest of the message depends on oneDNN.
        print("InvalidArgumentError, about ndims:", "ndims" in str(error))
