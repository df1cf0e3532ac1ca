"""The derivative of a projection to an eigenvector, as eigenvalues meet."""

import tensorflow as tf

towards = tf.constant([[0.0, 1.0], [1.0, 0.0]])


def projection(a):
    vectors = tf.linalg.eigh(a)[1]
    return vectors[0, 0] * vectors[1, 0]


def by_svd(a):
    u = tf.linalg.svd(a)[1]
    return u[0, 0] * u[1, 0]


for gap in 1.0, 0.01, 0.0:
    a = tf.linalg.diag([1.0, 1.0 + gap])
    for name, function in ("eigh", projection), ("svd", by_svd):
        with tf.GradientTape() as tape:
            tape.watch(a)
            y = function(a)
        slope = tf.reduce_sum(tape.gradient(y, a) * towards)
        h = 1e-3
        change = function(a + h * towards) - function(a - h * towards)
        print(f"gap {gap}  {name:4}  tape {slope:.2f}"
              f"  difference {change / (2.0 * h):.2f}")
