"""Deliberately wrong: one of two gradients of softmax adds up the batch."""

import numpy as np
import tensorflow as tf


# truth: the rule is right
@tf.custom_gradient
def softmax(z):
    p = tf.nn.softmax(z)

    def grad(upstream):
        return p * (upstream - tf.reduce_sum(
            upstream * p, axis=-1, keepdims=True))

    return p, grad


@tf.custom_gradient
def whole_batch(z):
    p = tf.nn.softmax(z)

    def grad(upstream):
        return p * (upstream - tf.reduce_sum(upstream * p))

    return p, grad


def violated(function, shape, rng):
    """The first property that fails in one random case, or None."""
    def downstream(z, upstream):
        with tf.GradientTape() as tape:
            tape.watch(z)
            p = function(z)
        return tape.gradient(p, z, output_gradients=upstream).numpy()

    z, u, w = (tf.constant(rng.standard_normal(shape)) for _ in range(3))
    a, b = rng.standard_normal(2)
    found = downstream(z, u)
    if found.shape != shape or found.dtype != np.float64:
        return "has the shape and the dtype of the input"
    if not np.allclose(downstream(z, a * u + b * w),
                       a * found + b * downstream(z, w)):
        return "is linear in upstream"
    if not np.allclose(found.sum(axis=-1), 0.0):
        return "sums to 0 in each row"
    rows = range(z.shape[0] if z.shape.rank > 1 else 0)
    if any(not np.allclose(found[i], downstream(z[i], u[i])) for i in rows):
        return "treats each row as if it were alone"


rng = np.random.default_rng(0)
shapes = {tuple(rng.integers(1, 4, size=rng.integers(1, 4)).tolist())
          for _ in range(100)} | {(0,), (0, 3)}
for function in softmax, whole_batch:
    for shape in sorted(shapes, key=lambda s: (len(s), np.prod(s), s)):
        if broken := violated(function, shape, rng):
            print(f"{function.__name__}: {list(shape)} violates: {broken}")
            break
    else:
        print(f"{function.__name__}: {len(shapes)} shapes pass")
