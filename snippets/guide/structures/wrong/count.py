"""Deliberately wrong: one gradient for each argument, not each leaf."""

import tensorflow as tf


@tf.custom_gradient
def total(tensors):
    return tf.add_n(tensors), lambda upstream: upstream


@tf.custom_gradient
def reshaped(x, shape):
    return tf.reshape(x, shape), lambda upstream: (
        tf.reshape(upstream, tf.shape(x)), None)


@tf.custom_gradient
def emptied(x, nothing):
    return x * 1.0, lambda upstream: (upstream, None)


x = tf.constant([1.0, 2.0])
for function, arguments in [(total, ([x, x, x],)), (reshaped, (x, (2, 1))),
                            (emptied, (x, []))]:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(*arguments)
    print(f"{function.__name__}: arguments {len(arguments)},"
          f" inputs {len(tf.nest.flatten(arguments))}")
    try:
        tape.gradient(y, x)
    except ValueError as error:
        print(" ", error)
