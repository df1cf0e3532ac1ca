"""y = x b: its gradient function sums over the axes on which b is copied."""

import tensorflow as tf


def unbroadcast(gradient, like):
    """Sum over the axes that `like` lacks or has with length 1."""
    shape = tf.shape(like)
    axes, _ = tf.raw_ops.BroadcastGradientArgs(s0=shape, s1=tf.shape(gradient))
    return tf.reshape(tf.reduce_sum(gradient, axes), shape)


@tf.custom_gradient
def product(x, b):
    y = x * b

    def grad(upstream):
        downstream_x = unbroadcast(upstream * b, x)
        downstream_b = unbroadcast(upstream * x, b)
        tf.print("backward upstream", tf.shape(upstream), " local_b",
                 tf.shape(x), " downstream_b", tf.shape(downstream_b))
        return downstream_x, downstream_b

    return y, grad


def plain(x, b):
    return x * b


def gradients(function, x, b):
    with tf.GradientTape() as tape:
        tape.watch([x, b])
        loss = tf.reduce_sum(weights * function(x, b))
    return [g.numpy().tolist() for g in tape.gradient(loss, [x, b])]


x = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
weights = tf.constant([[1.0, 1.0, 1.0], [10.0, 10.0, 10.0]])
print("weights * x  =", (weights * x).numpy().tolist())
for b in ([2.0, 3.0, 4.0], [[2.0], [3.0]], 2.0):
    b = tf.constant(b)
    dx, db = gradients(product, x, b)
    print("downstream_x =", dx)
    print("downstream_b =", db)
    print("autodiff     =", gradients(plain, x, b)[1])
