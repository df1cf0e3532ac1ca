"""The nuclear norm, whose gradient also has a custom gradient."""

import tensorflow as tf


# truth: A = A + 3.0 * tf.eye(3, dtype=A.dtype); A.shape == [3, 3]
# truth: first derivative only
@tf.custom_gradient
def polar(A):
    s, U, V = tf.linalg.svd(A)
    Q = U @ tf.transpose(V)

    def grad(Q_bar):
        P = tf.matmul(U, Q_bar, transpose_a=True) @ V
        M = (P - tf.transpose(P)) / (s[:, None] + s[None, :])
        return U @ M @ tf.transpose(V)

    return Q, grad


# truth: A = A + 3.0 * tf.eye(3, dtype=A.dtype); A.shape == [3, 3]
@tf.custom_gradient
def nuclear(A):
    y = tf.reduce_sum(tf.linalg.svd(A, compute_uv=False))
    return y, lambda upstream: upstream * polar(A)


def by_vectors(A):
    _, U, V = tf.linalg.svd(A)
    return U @ tf.transpose(V)


A = tf.linalg.diag(tf.constant([1.0, 1.0, 3.0], tf.float64))
D = tf.reshape(tf.range(1.0, 10.0, dtype=A.dtype), [3, 3])
with tf.GradientTape(persistent=True) as outer:
    outer.watch(A)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(A)
        ours = nuclear(A)
        theirs = tf.reduce_sum(tf.linalg.svd(A, compute_uv=False))
    first = [tf.reduce_sum(D * tape.gradient(y, A)) for y in (ours, theirs)]
    own = tf.reduce_sum(D * by_vectors(A))
h = 1e-5
change = D * (by_vectors(A + h * D) - by_vectors(A - h * D)) / (2 * h)
for name, slope in zip(("nuclear", "TensorFlow"), first):
    second = tf.reduce_sum(D * outer.gradient(slope, A))
    print(f"{name:18} first {slope:9.6f}   second {second:9.6f}")
found = tf.reduce_sum(D * outer.gradient(own, A))
print(f"through U and V                      {found:9.6f}")
print(f"central differences                  {tf.reduce_sum(change):9.6f}")
