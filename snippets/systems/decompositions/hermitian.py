"""The root of a batch of Hermitian matrices: adjoints, not transposes."""

import tensorflow as tf

H = tf.linalg.adjoint


# truth: A = A @ tf.linalg.adjoint(A) + 0.1 * tf.eye(2, dtype=A.dtype)
# truth: A.shape[-2:] == [2, 2]; first derivative only
@tf.custom_gradient
def root(A):
    lambda_, V = tf.linalg.eigh(0.5 * (A + H(A)))
    s = tf.sqrt(lambda_)

    def grad(Y_bar):
        K = 1.0 / (s[..., :, None] + s[..., None, :])
        G = V @ (K * (H(V) @ Y_bar @ V)) @ H(V)
        return 0.5 * (G + H(G))

    return (V * s[..., None, :]) @ H(V), grad


def by_vectors(A):
    lambda_, V = tf.linalg.eigh(A)
    return (V * tf.sqrt(lambda_)[..., None, :]) @ H(V)


def each(X, Y):
    """The real inner product, for each matrix of the batch."""
    return tf.math.real(tf.reduce_sum(tf.math.conj(X) * Y, [-2, -1]))


A = tf.constant([[[2.0, 1.0j], [-1.0j, 2.0]],
                 [[1.0, 0.0], [0.0, 1.0]]], tf.complex128)
D = tf.constant([[1.0, 2.0 + 1.0j], [2.0 - 1.0j, 3.0]], tf.complex128)
weights = tf.constant([[1.0, 2.0j], [3.0, 4.0]], tf.complex128)
for function in (root, by_vectors):
    with tf.GradientTape() as tape:
        tape.watch(A)
        loss = each(weights, function(A))
    slopes = each(tape.gradient(loss, A), D)
    print(f"{function.__name__:12}", slopes.numpy().round(6))
h = 1e-5
change = each(weights, root(A + h * D)) - each(weights, root(A - h * D))
print("differences ", (change / (2 * h)).numpy().round(6))
