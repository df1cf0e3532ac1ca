"""Deliberately wrong: one element of a gradient is 1 % too large."""

import numpy as np
import tensorflow as tf

calls = 0


# truth: A.shape == (2, 3); B.shape == (3, 2)
@tf.custom_gradient
def product(A, B):
    global calls
    calls += 1

    def grad(upstream):
        factor = np.ones([3, 2])
        factor[1, 1] = 1.01
        return upstream @ tf.transpose(B), tf.transpose(A) @ upstream * factor

    return A @ B, grad


A = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], tf.float64)
B = tf.constant([[1.0, 0.0], [2.0, 1.0], [0.0, 3.0]], tf.float64)
custom, numeric = tf.test.compute_gradient(product, [A, B])
print("calls of product:", calls)
for name, x, one, other in zip("AB", (A, B), custom, numeric):
    wrong = np.argwhere(abs(one - other) > 1e-6)
    print(f"{name}: {x.shape} in, (2, 2) out, Jacobian {one.shape},"
          f" wrong derivatives: {len(wrong)}")
    for row, column in wrong:
        (i, j), (k, n) = divmod(row, 2), divmod(column, x.shape[1])
        print(f"  output [{i}, {j}], input {name}[{k}, {n}]:"
              f" custom gradient {one[row, column]:.2f},"
              f" finite differences {other[row, column]:.2f}")
