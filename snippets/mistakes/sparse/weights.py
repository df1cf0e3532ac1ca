"""call makes the sparse matrix from the current weight."""

import keras
import numpy as np
import tensorflow as tf


class Sparse(keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.w = self.add_weight(shape=(2,), initializer="ones")

    def call(self, x):
        matrix = tf.sparse.SparseTensor(
            [[0, 0], [1, 1]], tf.convert_to_tensor(self.w), [2, 2])
        product = tf.sparse.sparse_dense_matmul(matrix, x, adjoint_b=True)
        return tf.transpose(product)


layer = Sparse()
model = keras.Sequential([keras.Input((2,)), layer])
model.compile(keras.optimizers.SGD(0.1), "mse")
model.fit(tf.ones([4, 2]), tf.zeros([4, 2]), verbose=0)
print("weights after one step:", np.round(layer.w.numpy(), 4))
print("by hand, w - 0.1 * w:  ", np.float32([0.9, 0.9]))
