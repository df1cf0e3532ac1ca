"""The rows of the gradient, and the dense gradient."""

import tensorflow as tf

table = tf.Variable([[1.0], [2.0], [3.0]])
with tf.GradientTape() as tape:
    rows = tf.nn.embedding_lookup(table, [0, 2, 2])
    loss = tf.reduce_sum(rows * rows)
gradient = tape.gradient(loss, table)
print("indices:", gradient.indices.numpy(),
      " values:", gradient.values.numpy().ravel())
print("dense:  ", tf.convert_to_tensor(gradient).numpy().ravel())

one_hot = tf.one_hot([0, 2, 2], 3)
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(tf.matmul(one_hot, table) ** 2.0)
print("matmul: ", tape.gradient(loss, table).numpy().ravel())
