"""Deliberately wrong: the gradient of a large table becomes dense."""

import warnings

import tensorflow as tf


def loss(table):
    return tf.reduce_sum(tf.gather(tf.identity(table), [0, 1]))


@tf.function
def slope(table):
    with tf.GradientTape() as tape:
        tape.watch(table)
        y = loss(table)
    return tf.convert_to_tensor(tape.gradient(y, table))


with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always", UserWarning)
    slope.get_concrete_function(tf.TensorSpec([10_000_000, 16]))
for each in caught:
    print(type(each.message).__name__, each.message)
