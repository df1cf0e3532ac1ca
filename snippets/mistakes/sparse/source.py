"""The source is the values of the sparse matrix."""

import tensorflow as tf

matrix = tf.sparse.SparseTensor([[0, 0], [1, 1]], [2.0, 3.0], [2, 2])
with tf.GradientTape() as tape:
    tape.watch(matrix.values)
    y = tf.sparse.sparse_dense_matmul(matrix, [[5.0], [7.0]])
values = tape.gradient(y, matrix.values)
print("values:", values.numpy())

dense = tf.sparse.to_dense(matrix)
with tf.GradientTape() as tape:
    tape.watch(dense)
    y = tf.matmul(dense, [[5.0], [7.0]])
print("dense: ", tf.gather_nd(tape.gradient(y, dense), matrix.indices).numpy())
