"""A loss with a bilinear resize in it: the second derivative lacks a part."""

import tensorflow as tf


def by_resize(x):
    return tf.image.resize(tf.reshape(x, [1, 1, 2, 1]), [1, 4])


def by_matmul(x):
    weights = [[1.0, 0.0], [0.75, 0.25], [0.25, 0.75], [0.0, 1.0]]
    return tf.linalg.matvec(weights, x)


def hessian(function, x):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            loss = tf.reduce_sum(function(x) ** 2.0) + tf.reduce_sum(x ** 3.0)
        slope = inner.gradient(loss, x)
    return outer.jacobian(slope, x).numpy().tolist()


x = tf.constant([1.0, 2.0])
for function in by_resize, by_matmul:
    print(f"{function.__name__}: value {tf.squeeze(function(x)).numpy()}"
          f"  Hessian {hessian(function, x)}")
