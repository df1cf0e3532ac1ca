"""Deliberately wrong: the constructor makes the sparse matrix."""
# tracebook: raises ValueError

import keras
import tensorflow as tf


class Sparse(keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.w = self.add_weight(shape=(2,), initializer="ones")
        self.matrix = tf.sparse.SparseTensor(
            [[0, 0], [1, 1]], tf.convert_to_tensor(self.w), [2, 2])

    def call(self, x):
        product = tf.sparse.sparse_dense_matmul(
            self.matrix, x, adjoint_b=True)
        return tf.transpose(product)


model = keras.Sequential([keras.Input((2,)), Sparse()])
model.compile("sgd", "mse")
model.fit(tf.ones([4, 2]), tf.zeros([4, 2]), verbose=0)
