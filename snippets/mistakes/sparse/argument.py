"""The values are an argument; the indices are captured."""

import tensorflow as tf

places, shape = [[0, 0], [1, 1]], [2, 2]


# truth: values.shape == (2,); x.shape == (2, 1)
@tf.custom_gradient
def product(values, x):
    matrix = tf.sparse.SparseTensor(places, values, shape)

    def grad(upstream):
        rows, columns = tf.unstack(tf.constant(places), axis=1)
        by_values = tf.reduce_sum(
            tf.gather(upstream, rows) * tf.gather(x, columns), axis=1)
        by_x = tf.sparse.sparse_dense_matmul(
            matrix, upstream, adjoint_a=True)
        return by_values, by_x

    return tf.sparse.sparse_dense_matmul(matrix, x), grad


def plain(values, x):
    matrix = tf.sparse.SparseTensor(places, values, shape)
    return tf.sparse.sparse_dense_matmul(matrix, x)


values, x = tf.constant([2.0, 3.0]), tf.constant([[5.0], [7.0]])
for function in product, plain:
    with tf.GradientTape() as tape:
        tape.watch([values, x])
        y = function(values, x) ** 2.0
    slopes = tape.gradient(y, [values, x])
    print(function.__name__, *[each.numpy().ravel() for each in slopes])
