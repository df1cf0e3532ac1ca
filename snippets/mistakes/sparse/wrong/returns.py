"""Deliberately wrong: IndexedSlices without dense_shape."""
# tracebook: raises ValueError

import tensorflow as tf


@tf.custom_gradient
def first_row(table):
    def grad(upstream):
        return tf.IndexedSlices(
            upstream[tf.newaxis], tf.constant([0]))

    return table[0], grad


table = tf.constant([[1.0, 2.0], [3.0, 4.0]])
with tf.GradientTape() as tape:
    tape.watch(table)
    y = first_row(2.0 * table)
tape.gradient(y, table)
