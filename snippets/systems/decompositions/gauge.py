"""Which losses of eigenvectors have a gradient: two choices of vectors."""

import tensorflow as tf


def first_vector(A, choice):
    return choice * tf.linalg.eigh(A)[1][:, 0]


def space(A, choice):
    """The projector to the space of the two smallest eigenvalues."""
    V = tf.linalg.eigh(A)[1][:, :2] @ choice
    return tf.matmul(V, V, transpose_b=True)


def slope(function, A, D):
    with tf.GradientTape() as tape:
        tape.watch(A)
        loss = function(A)
    return tf.reduce_sum(tape.gradient(loss, A) * D)


f64 = tf.float64
A = tf.constant([[2.0, 1.0, 0.0], [1.0, 3.0, 0.5], [0.0, 0.5, 4.0]], f64)
D = tf.constant([[1.0, 2.0, 3.0], [2.0, 4.0, 5.0], [3.0, 5.0, 6.0]], f64)
for choice in (tf.constant(1.0, f64), tf.constant(-1.0, f64)):
    v = slope(lambda A: first_vector(A, choice)[0], A, D)
    vv = slope(lambda A: tf.reduce_prod(first_vector(A, choice)[:2]), A, D)
    print(f"sign {choice:4.1f}   of v[0] {v:9.6f}   of v[0] v[1] {vv:9.6f}")

A = tf.linalg.diag(tf.constant([1.0, 1.0, 3.0], f64))
turned = tf.constant([[0.6, -0.8], [0.8, 0.6]], f64)
for name, choice in (("as it comes", tf.eye(2, dtype=f64)),
                     ("turned", turned)):
    found = slope(lambda A: space(A, choice)[0, 2], A, D)
    print(f"equal, {name:11} of the projector {found:9.6f}")
h = 1e-5
one = tf.eye(2, dtype=f64)
change = (space(A + h * D, one) - space(A - h * D, one))[0, 2] / (2 * h)
print(f"central differences             {change:9.6f}")
