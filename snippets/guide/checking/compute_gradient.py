"""tf.test.compute_gradient: two Jacobians for each input."""

import numpy as np
import tensorflow as tf

calls = 0


# truth: A.shape.rank == B.shape.rank == 2
@tf.custom_gradient
def product(A, B):
    global calls
    calls += 1

    def grad(upstream):
        return upstream @ tf.transpose(B), tf.transpose(A) @ upstream

    return A @ B, grad


A = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], tf.float64)
B = tf.constant([[1.0, 0.0], [2.0, 1.0], [0.0, 3.0]], tf.float64)
custom, numeric = tf.test.compute_gradient(product, [A, B])
print("calls of product:", calls)
for name, x, one, other in zip("AB", (A, B), custom, numeric):
    print(f"{name}: {x.shape} in, (2, 2) out, Jacobian {one.shape},"
          f" largest difference below 1e-9: {np.max(abs(one - other)) < 1e-9}")
print("derivatives of C[0, 1] with respect to A")
print("  custom gradient   ", custom[0][1])
print("  finite differences", numeric[0][1].round(6))
