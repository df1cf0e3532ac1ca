"""A Jacobian-vector product from a gradient function, with tapes."""

import tensorflow as tf

W = tf.constant([[1.0, 2.0], [0.5, -1.0], [2.0, 0.0]], tf.float64)


def plain(x):
    return tf.linalg.matvec(W, x) ** 3.0


@tf.custom_gradient
def cubes(x):
    s = tf.linalg.matvec(W, x)

    def grad(u):
        a = tf.linalg.matvec(W, u * 3.0 * s ** 2.0, transpose_a=True)
        return a

    return s ** 3.0, grad


def by_transposing(function, x, dx):
    with tf.GradientTape() as inner:
        inner.watch(x)
        y = function(x)
        u = tf.ones_like(y)
    with tf.GradientTape() as outer:
        outer.watch(u)
        a = inner.gradient(y, x, output_gradients=u)
    return a, outer.gradient(a, u, output_gradients=dx)


def by_accumulator(function, x, dx):
    with tf.autodiff.ForwardAccumulator(x, dx) as accumulator:
        y = function(x)
    return accumulator.jvp(y)


def by_hand(W, x, a_bar):
    s = tf.linalg.matvec(W, x)
    u_bar = tf.linalg.matvec(W, a_bar) * 3.0 * s ** 2.0
    return u_bar


x, dx = (tf.constant(each, tf.float64) for each in ([1.0, 0.5], [1.0, -1.0]))
a, dy = by_transposing(cubes, x, dx)
print("downstream of ones =", a.numpy())
print("derivative along dx =", dy.numpy())
print("accumulator         =", by_accumulator(plain, x, dx).numpy())
print("by hand             =", by_hand(W, x, dx).numpy())
