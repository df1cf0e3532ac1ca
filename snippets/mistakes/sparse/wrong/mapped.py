"""Deliberately wrong: tf.map_fn over the gradient of a table."""
# tracebook: raises AttributeError

import tensorflow as tf

table = tf.Variable([[3.0, 4.0], [1.0, 0.0]])
with tf.GradientTape() as tape:
    rows = tf.nn.embedding_lookup(table, [0, 0, 1])
    loss = tf.reduce_sum(rows * rows)
gradient = tape.gradient(loss, table)
tf.map_fn(lambda row: tf.clip_by_norm(row, 1.0), gradient)
