"""Deliberately wrong: tf.transpose in the gradient of a stack of matrices."""

import tensorflow as tf


@tf.custom_gradient
def product(A, B):
    def grad(upstream):
        return upstream @ tf.transpose(B), tf.transpose(A) @ upstream

    return A @ B, grad


A = tf.ones([2, 2, 2])
B = tf.reshape(tf.range(8.0), [2, 2, 2])
for function in (product, tf.matmul):
    with tf.GradientTape() as tape:
        tape.watch(A)
        C = function(A, B)
    gradient = tape.gradient(C, A, output_gradients=tf.ones_like(C))
    print(f"{function.__name__:8}", gradient.numpy().tolist())
print("reversed", tf.transpose(B)[0].numpy().tolist())
print("wanted  ", tf.linalg.matrix_transpose(B)[0].numpy().tolist())
