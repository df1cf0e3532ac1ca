"""Solution: the elementwise product of two vectors, z = x ⊙ y."""

import tensorflow as tf


# truth: x.shape == y.shape
@tf.custom_gradient
def product(x, y):
    z = x * y

    def grad(upstream):
        local_x, local_y = y, x
        downstream_x = upstream * local_x
        downstream_y = upstream * local_y
        tf.print("backward to x  upstream =", upstream,
                 " local =", local_x, " downstream =", downstream_x)
        tf.print("backward to y  upstream =", upstream,
                 " local =", local_y, " downstream =", downstream_y)
        return downstream_x, downstream_y

    return z, grad


def gradients(multiply, x, y):
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = multiply(x, y)
        loss = tf.reduce_sum(w * z)
    return [g.numpy().tolist() for g in tape.gradient(loss, [x, y])]


x = tf.constant([1.0, 2.0, 3.0])
y = tf.constant([4.0, 5.0, 6.0])
w = tf.constant([1.0, 10.0, 100.0])
print("custom   =", gradients(product, x, y))
print("autodiff =", gradients(tf.multiply, x, y))
