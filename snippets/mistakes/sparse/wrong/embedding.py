"""Deliberately wrong: the gradient of an embedding isn't a tensor."""
# tracebook: raises AttributeError

import tensorflow as tf

table = tf.Variable([[1.0], [2.0], [3.0]])
with tf.GradientTape() as tape:
    rows = tf.nn.embedding_lookup(table, [0, 2, 2])
    loss = tf.reduce_sum(rows * rows)
gradient = tape.gradient(loss, table)
print(type(gradient).__name__, gradient.shape)
gradient.numpy()
