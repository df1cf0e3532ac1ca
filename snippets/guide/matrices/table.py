"""Each row of the table in a random direction, computed in three ways."""

import numpy as np
import tensorflow as tf

rng = np.random.default_rng(0)
T, inv, trace = tf.transpose, tf.linalg.inv, tf.linalg.trace
P, eye = rng.uniform(0.1, 0.5, [3, 3]), np.eye(3)
A, B = tf.constant(P + eye), tf.constant(rng.standard_normal([3, 2]))
S = tf.constant(P @ P.T + eye)
W = tf.constant(rng.standard_normal([4, 3]))
M = np.tril(np.ones([3, 3])) - 0.5 * eye

# Name, function, gradient(upstream, output, inputs), inputs.
rows = [
    ("sum", tf.reduce_sum,
     lambda upstream, y, X: upstream * tf.ones_like(X), [B]),
    ("column sums", lambda X: tf.reduce_sum(X, 0),
     lambda upstream, y, X: upstream * tf.ones_like(X), [B]),
    ("trace", trace, lambda upstream, y, X: upstream * eye, [A]),
    ("transpose", T, lambda upstream, Y, X: T(upstream), [B]),
    ("product", tf.matmul,
     lambda upstream, C, A, B: (upstream @ T(B), T(A) @ upstream), [W, B]),
    ("inverse", inv, lambda upstream, Y, X: -T(Y) @ upstream @ T(Y), [A]),
    ("solve", tf.linalg.solve, lambda upstream, Y, A, B: (
        -inv(T(A)) @ upstream @ T(Y), inv(T(A)) @ upstream), [A, B]),
    ("det", tf.linalg.det,
     lambda upstream, y, X: upstream * y * T(inv(X)), [A]),
    ("log |det|", lambda X: tf.linalg.slogdet(X)[1],
     lambda upstream, y, X: upstream * T(inv(X)), [A]),
    ("Cholesky", tf.linalg.cholesky,
     lambda G, Y, X: inv(T(Y)) @ (M * (T(Y) @ G)) @ inv(Y), [S])]

print(f"{'':14}{'formula':>10}{'TensorFlow':>12}{'differences':>13}")
for name, function, formula, inputs in rows:
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        Y = function(*inputs)
    U = tf.constant(rng.standard_normal(Y.shape))
    V = [rng.standard_normal(x.shape) for x in inputs]
    if name == "Cholesky":
        V = [v + v.T for v in V]
    by_tape = tape.gradient(Y, inputs, output_gradients=U)
    by_formula = tf.nest.flatten(formula(U, Y, *inputs))
    plus, minus = (function(*(x + h * v for x, v in zip(inputs, V)))
                   for h in (1e-5, -1e-5))
    print(f"{name:14}"
          f"{sum(np.sum(g * v) for g, v in zip(by_formula, V)):10.5f}"
          f"{sum(np.sum(g * v) for g, v in zip(by_tape, V)):12.5f}"
          f"{np.sum(U * (plus - minus)) / 2e-5:13.5f}")
