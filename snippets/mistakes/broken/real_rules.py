"""Every function of four modules at ordinary points, and its gradient."""

import numpy as np
import tensorflow as tf

tf.get_logger().setLevel("ERROR")
X = tf.constant([0.3, 0.7, 0.45], tf.float64)
W = tf.constant([0.45, 0.2, 0.35], tf.float64)
A = tf.constant([[0.6, 0.4], [0.25, 0.75]], tf.float64)
CALLS = {
    "(x)": (X, lambda f, x: f(x)),
    "(x, w)": (X, lambda f, x: f(x, W)),
    "(w, x)": (X, lambda f, x: f(W, x)),
    "(x, ids)": (X, lambda f, x: f(x, [0, 0, 1])),
    "(x, ids, 2)": (X, lambda f, x: f(x, [0, 0, 1], 2)),
    "(a)": (A, lambda f, a: f(a)),
    "(a, a)": (A, lambda f, a: f(a, a)),
}
# They read one triangle, have vectors whose sign is free, draw, or compute in
# float32.
NO_DERIVATIVE = ("cholesky", "eig", "eigh", "logdet", "svd", "dropout",
                 "experimental_stateless_dropout", "compute_average_loss")


def loss(call, f, x):
    """With another upstream for each number."""
    parts = [y for y in tf.nest.flatten(call(f, x)) if y.dtype == x.dtype]
    y = tf.concat([tf.reshape(each, [-1]) for each in parts], 0)
    return tf.reduce_sum(tf.sin(y) * tf.cast(tf.range(1, tf.size(y) + 1),
                                             y.dtype))


right, wrong = set(), {}
for module in tf.math, tf.linalg, tf.nn, tf.signal:
    for name, f in sorted(vars(module).items()):
        if not callable(f) or isinstance(f, type) or name in NO_DERIVATIVE:
            continue
        for arguments, (x, call) in CALLS.items():
            h = 1e-6 * np.linspace(-1.0, 1.5, np.size(x)).reshape(x.shape)
            try:
                with tf.GradientTape() as tape:
                    tape.watch(x)
                    L = loss(call, f, x)
                found = tape.gradient(L, x).numpy()
                change = float(loss(call, f, x + h) - loss(call, f, x - h))
            except Exception:
                continue  # other arguments, or no gradient
            if not np.isfinite(change):
                continue
            if found.shape == x.shape and np.isclose(
                    2.0 * np.sum(found * h), change, 1e-4, 1e-10):
                right.add(name)
            elif name not in wrong:
                wrong[name] = arguments
print("right:", len(right - wrong.keys()), " wrong:", len(wrong))
for name, arguments in wrong.items():
    print(name + arguments)
