"""Deliberately wrong: a SparseTensor is the source of a gradient."""
# tracebook: raises ValueError

import tensorflow as tf

matrix = tf.sparse.SparseTensor([[0, 0], [1, 1]], [2.0, 3.0], [2, 2])
with tf.GradientTape() as tape:
    tape.watch(matrix.values)
    y = tf.sparse.sparse_dense_matmul(matrix, [[5.0], [7.0]])
tape.gradient(y, matrix)
