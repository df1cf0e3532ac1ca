"""A scalar times a vector: the scalar's gradient is a sum."""

import tensorflow as tf


# truth: a.shape == []
@tf.custom_gradient
def scale(a, x):
    y = a * x

    def grad(upstream):
        downstream_a = tf.reduce_sum(upstream * x)
        downstream_x = upstream * a
        tf.print("backward to a  upstream =", upstream,
                 " local =", x, " downstream =", downstream_a)
        tf.print("backward to x  upstream =", upstream,
                 " local =", a, " downstream =", downstream_x)
        return downstream_a, downstream_x

    return y, grad


def gradients(function, a, x):
    with tf.GradientTape() as tape:
        tape.watch([a, x])
        loss = tf.reduce_sum(weights * function(a, x))
    return [g.numpy().tolist() for g in tape.gradient(loss, [a, x])]


a = tf.constant(2.0)
x = tf.constant([1.0, 2.0, 3.0])
weights = tf.constant([1.0, 10.0, 100.0])
print("custom   =", gradients(scale, a, x))
print("autodiff =", gradients(tf.multiply, a, x))
