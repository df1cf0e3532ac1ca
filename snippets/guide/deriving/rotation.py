"""A quaternion to a rotation matrix, with the derived gradient."""

import numpy as np
import tensorflow as tf


def cross_matrix(v):
    zero = tf.zeros_like(v[..., 0])
    x, y, z = tf.unstack(v, axis=-1)
    rows = [[zero, -z, y], [z, zero, -x], [-y, x, zero]]
    return tf.stack([tf.stack(row, -1) for row in rows], -2)


def plain(q):
    p = q / tf.norm(q, axis=-1, keepdims=True)
    w, v = p[..., :1, None], p[..., 1:]
    K = cross_matrix(v)
    R = tf.eye(3, dtype=q.dtype) + 2.0 * w * K + 2.0 * K @ K
    return R


@tf.custom_gradient
def rotation(q):
    def grad(upstream):
        size = tf.norm(q, axis=-1, keepdims=True)
        p = q / size
        w, v = p[..., :1], p[..., 1:]
        g = upstream
        transposed = tf.linalg.matrix_transpose(g)
        trace = tf.linalg.trace(g)[..., None]
        axial = tf.stack([g[..., 2, 1] - g[..., 1, 2],
                          g[..., 0, 2] - g[..., 2, 0],
                          g[..., 1, 0] - g[..., 0, 1]], -1)
        w_bar = 2.0 * tf.reduce_sum(v * axial, -1, keepdims=True)
        v_bar = 2.0 * (w * axial + tf.linalg.matvec(g + transposed, v)
                       - 2.0 * trace * v)
        p_bar = tf.concat([w_bar, v_bar], -1)
        along = tf.reduce_sum(p_bar * p, -1, keepdims=True)
        return (p_bar - along * p) / size

    return plain(tf.stop_gradient(q)), grad


q = tf.random.stateless_normal([5, 4], [1, 2], dtype=tf.float64)
upstream = tf.random.stateless_normal([5, 3, 3], [3, 4], dtype=tf.float64)
gradients = []
for function in plain, rotation:
    with tf.GradientTape() as tape:
        tape.watch(q)
        matrix = function(q)
    gradients.append(tape.gradient(matrix, q, upstream))
error = np.max(np.abs(gradients[0] - gradients[1]))
print(f"agrees with automatic differentiation: {error < 1e-12}")
along = np.max(np.abs(np.sum(gradients[1] * q, -1)))
print(f"orthogonal to q: {along < 1e-12}")
