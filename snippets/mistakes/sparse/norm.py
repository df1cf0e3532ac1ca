"""Rows of one index are added before a nonlinear operation."""

import tensorflow as tf

table = tf.Variable([[0.0], [0.0]])
with tf.GradientTape() as tape:
    rows = tf.nn.embedding_lookup(table, [0, 0, 0, 1])
    loss = tf.reduce_sum(rows)
gradients = [tf.convert_to_tensor(tape.gradient(loss, table))]
clipped, norm = tf.clip_by_global_norm(gradients, 1.0)
print(f"norm: {norm:.4f}, by hand {10.0 ** 0.5:.4f}")
print(f"clipped to the norm 1: {tf.norm(clipped[0]):.4f}")
assert tf.norm(clipped[0]) < 1.0001
