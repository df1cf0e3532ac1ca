"""Deliberately wrong: the product's gradient without its transposes."""

import tensorflow as tf


@tf.custom_gradient
def product(A, B):
    def grad(upstream):
        return upstream @ B, A @ upstream

    return A @ B, grad


def gradient_of_A(function, A, B):
    with tf.GradientTape() as tape:
        tape.watch(A)
        loss = tf.reduce_sum(function(A, B) * [[1.0, 10.0], [100.0, 1000.0]])
    return tape.gradient(loss, A).numpy().tolist()


A = tf.constant([[1.0, 2.0], [3.0, 4.0]])
for name, B in (("asymmetric B", [[0.0, 1.0], [2.0, 3.0]]),
                ("symmetric B", [[0.0, 2.0], [2.0, 3.0]]),
                ("identity B", [[1.0, 0.0], [0.0, 1.0]])):
    B = tf.constant(B)
    print(name)
    print("  custom  ", gradient_of_A(product, A, B))
    print("  autodiff", gradient_of_A(tf.matmul, A, B))
