"""A map over rows of the dense gradient, and the same without a map."""

import tensorflow as tf

table = tf.Variable([[3.0, 4.0], [1.0, 0.0]])
with tf.GradientTape() as tape:
    rows = tf.nn.embedding_lookup(table, [0, 0, 1])
    loss = tf.reduce_sum(rows * rows)
gradient = tf.convert_to_tensor(tape.gradient(loss, table))
clipped = tf.map_fn(lambda row: tf.clip_by_norm(row, 1.0), gradient)
print("mapped: ", clipped.numpy().ravel())
print("by axis:", tf.clip_by_norm(gradient, 1.0, 1).numpy().ravel())
