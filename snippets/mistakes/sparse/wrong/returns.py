"""Wrong on purpose: IndexedSlices without the shape of what they are of."""
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
