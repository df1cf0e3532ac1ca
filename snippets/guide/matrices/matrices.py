"""The gradient function of a matrix product: each factor, with its shape."""

import tensorflow as tf


# truth: A.shape.rank == B.shape.rank == 2
@tf.custom_gradient
def product(A, B):
    C = A @ B

    def grad(upstream):
        downstream_A = upstream @ tf.transpose(B)
        downstream_B = tf.transpose(A) @ upstream
        for name, value in (("upstream", upstream),
                            ("local, B transposed", tf.transpose(B)),
                            ("downstream_A", downstream_A),
                            ("local, A transposed", tf.transpose(A)),
                            ("downstream_B", downstream_B)):
            tf.print(name, tf.shape(value))
            tf.print(value)
        return downstream_A, downstream_B

    return C, grad


A = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
B = tf.constant([[1.0, 0.0], [2.0, 1.0], [0.0, 3.0]])
weights = tf.constant([[1.0, 10.0], [100.0, 1000.0]])
with tf.GradientTape() as tape:
    tape.watch([A, B])
    C = product(A, B)
    loss = tf.reduce_sum(weights * C)

print("C", C.shape)
print(C.numpy())
tape.gradient(loss, [A, B])
