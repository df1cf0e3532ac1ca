"""A product with a sparse matrix: a gradient only for its values."""

import tensorflow as tf

places = tf.constant([[0, 0], [0, 2], [1, 1]], tf.int64)
shape = [2, 3]
M = tf.scatter_nd(places, tf.ones([3]), shape)


# truth: W.shape == (2, 3); x.shape == (3, 2)
@tf.custom_gradient
def masked(W, x):
    y = tf.matmul(M * W, x)

    def grad(upstream):
        downstream_W = M * tf.matmul(upstream, x, transpose_b=True)
        downstream_x = tf.matmul(M * W, upstream, transpose_a=True)
        return downstream_W, downstream_x

    return y, grad


# truth: x.shape == (3, 2); v.shape == (3,)
@tf.custom_gradient
def sparse(v, x):
    A = tf.sparse.SparseTensor(places, v, shape)
    y = tf.sparse.sparse_dense_matmul(A, x)

    def grad(upstream):
        local = tf.gather(x, places[:, 1])
        downstream = tf.reduce_sum(
            tf.gather(upstream, places[:, 0]) * local, axis=1)
        tf.print("upstream", upstream)
        tf.print("downstream", downstream)
        return downstream, tf.sparse.sparse_dense_matmul(
            A, upstream, adjoint_a=True)

    return y, grad


def plain(v, x):
    return tf.sparse.sparse_dense_matmul(
        tf.sparse.SparseTensor(places, v, shape), x)


v, x = tf.constant([2.0, 3.0, 4.0]), tf.reshape(tf.range(6.0), [3, 2])
W = tf.scatter_nd(places, v, shape)
for f, w in (sparse, v), (plain, v), (masked, W):
    with tf.GradientTape() as tape:
        tape.watch([w, x])
        loss = tf.reduce_sum(f(w, x) ** 2)
    print(*(each.numpy().tolist() for each in tape.gradient(loss, [w, x])))
