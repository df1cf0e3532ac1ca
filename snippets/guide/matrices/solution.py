"""The quadratic form, compared with autodiff and finite differences."""

import numpy as np
import tensorflow as tf


# truth: x.shape.rank == 1; A.shape.rank == 2
@tf.custom_gradient
def quadratic(x, A):
    def grad(upstream):
        downstream_x = upstream * tf.linalg.matvec(A + tf.transpose(A), x)
        downstream_A = upstream * x[:, tf.newaxis] * x
        return downstream_x, downstream_A

    return plain(x, A), grad


def plain(x, A):
    return tf.tensordot(x, tf.linalg.matvec(A, x), 1)


x = tf.constant([1.0, 2.0], tf.float64)
A = tf.constant([[1.0, 3.0], [0.0, 5.0]], tf.float64)
for function in (quadratic, plain):
    with tf.GradientTape() as tape:
        tape.watch([x, A])
        y = function(x, A)
        loss = y ** 2
    print(f"{function.__name__:9} y = {y.numpy()}", *(
        each.numpy().tolist() for each in tape.gradient(loss, [x, A])))

h = 1e-5
print("differences    ", [round(float(
    plain(x + v, A) ** 2 - plain(x - v, A) ** 2) / (2 * h), 5)
    for v in h * np.eye(2)])
