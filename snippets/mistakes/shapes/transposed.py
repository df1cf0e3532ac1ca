"""The gradient of a matrix has the shape of the matrix."""

import tensorflow as tf


# truth: x.shape.rank == w.shape.rank == 2
@tf.custom_gradient
def dense(x, w):
    def grad(upstream):
        return (tf.matmul(upstream, w, transpose_b=True),
                tf.matmul(x, upstream, transpose_a=True))

    return x @ w, grad


x = tf.ones([4, 3])
left, right = tf.ones([3, 1]), tf.ones([1, 2])
for name, function in (("custom", dense), ("autodiff", tf.matmul)):
    with tf.GradientTape() as tape:
        tape.watch([left, right])
        y = function(x, left @ right)
    found = tape.gradient(y, [left, right])
    print(f"{name:8}", *[g.numpy().tolist() for g in found])
