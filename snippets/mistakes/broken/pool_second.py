"""The second derivative of max pooling, eagerly and under XLA."""

import tensorflow as tf


def max_pool(x):
    return tf.nn.max_pool1d(x, 2, 2, "VALID")


def reduce_max(x):
    return tf.reduce_max(tf.reshape(x, [1, -1, 2, 1]), axis=2)


def slope(pool, w, x):
    """Return the derivative of a gradient penalty with respect to w."""
    with tf.GradientTape() as outer:
        outer.watch(w)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = w * pool(x)
        penalty = tf.reduce_sum(inner.gradient(y, x) ** 2)
    return outer.gradient(penalty, w)


compiled = tf.function(slope, jit_compile=True, autograph=False)
w = tf.constant(3.0)
for largest in 1.1, 1.01, 1.001:
    x = tf.constant([1.0, largest], shape=[1, 2, 1])
    print(f"a window of 1 and {largest}")
    for pool in max_pool, reduce_max:
        print(f"  {pool.__name__:10} eager {slope(pool, w, x):g}"
              f"  XLA {compiled(pool, w, x):g}")
