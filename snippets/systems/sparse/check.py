"""Gradients of rows, compared with a one-hot product, in three modes."""

import tensorflow as tf


# truth: i needs no gradient; i = tf.constant([3, 1, 3, 0, 3])
# truth: W.shape == (5, 4)
@tf.custom_gradient
def lookup(W, i):
    def grad(upstream):
        return tf.IndexedSlices(upstream, tf.identity(i), tf.shape(W)), None

    return tf.gather(W, i), grad


@tf.custom_gradient
def cube(x):
    def grad(upstream):
        upstream = tf.convert_to_tensor(upstream)
        return upstream * 3.0 * x ** 2

    return x ** 3, grad


def rows(W, i):
    return tf.reduce_sum(lookup(cube(lookup(W, i)), i) ** 2)


def dense(W, i):
    S = tf.one_hot(i, 5)
    return tf.reduce_sum(tf.matmul(S, tf.matmul(S, W) ** 3) ** 2)


def gradient(f):
    def run(W, i):
        with tf.GradientTape() as tape:
            tape.watch(W)
            loss = f(W, i)
        return tf.convert_to_tensor(tape.gradient(loss, W))

    return run


W = tf.random.stateless_normal([5, 4], seed=[1, 2])
i = tf.constant([3, 1, 3, 0, 3])
right = gradient(dense)(W, i)
for name, run in {"eager": gradient(rows),
                  "tape inside": tf.function(gradient(rows)),
                  "tape outside": gradient(tf.function(rows))}.items():
    off = tf.reduce_max(abs(run(W, i) - right)) / tf.reduce_max(abs(right))
    print(f"{name}: relative difference {off:.6f}")
