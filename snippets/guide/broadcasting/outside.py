"""The copies are made outside the custom gradient, so TensorFlow sums."""

import tensorflow as tf


# truth: x.shape == b.shape
@tf.custom_gradient
def same_shapes(x, b):
    def grad(upstream):
        return upstream * b, upstream * x

    return x * b, grad


def product(x, b):
    shape = tf.broadcast_dynamic_shape(tf.shape(x), tf.shape(b))
    return same_shapes(tf.broadcast_to(x, shape), tf.broadcast_to(b, shape))


x = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
weights = tf.constant([[1.0, 1.0, 1.0], [10.0, 10.0, 10.0]])
for b in ([2.0, 3.0, 4.0], [[2.0], [3.0]], 2.0):
    b = tf.constant(b)
    with tf.GradientTape() as tape:
        tape.watch(b)
        y = product(x, b)
    downstream_b = tape.gradient(y, b, output_gradients=weights)
    print("downstream_b =", downstream_b.numpy().tolist())
