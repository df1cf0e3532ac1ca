"""A gradient function may return slices, with dense_shape."""

import tensorflow as tf


@tf.custom_gradient
def first_row(table):
    def grad(upstream):
        return tf.IndexedSlices(
            upstream[tf.newaxis], tf.constant([0]), tf.shape(table))

    return table[0], grad


def gradient(function, table):
    with tf.GradientTape() as tape:
        tape.watch(table)
        y = function(2.0 * table)
    return tape.gradient(y, table).numpy().tolist()


table = tf.constant([[1.0, 2.0], [3.0, 4.0]])
print("custom:", gradient(first_row, table))
print("plain: ", gradient(lambda table: table[0], table))
