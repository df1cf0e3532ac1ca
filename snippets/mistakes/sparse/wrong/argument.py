"""Deliberately wrong: a SparseTensor is an argument."""
# tracebook: raises ValueError

import tensorflow as tf


@tf.custom_gradient
def product(matrix, x):
    def grad(upstream):
        return None, tf.sparse.sparse_dense_matmul(
            matrix, upstream, adjoint_a=True)

    return tf.sparse.sparse_dense_matmul(matrix, x), grad


matrix = tf.sparse.SparseTensor([[0, 0], [1, 1]], [2.0, 3.0], [2, 2])
product(matrix, tf.constant([[5.0], [7.0]]))
