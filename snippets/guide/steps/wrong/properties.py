"""Deliberately wrong: the gradient of softmax adds up the whole batch."""

import numpy as np
import tensorflow as tf


@tf.custom_gradient
def softmax(z):
    p = tf.nn.softmax(z)

    def grad(upstream):
        return p * (upstream - tf.reduce_sum(upstream * p))

    return p, grad


def downstream(z, upstream):
    with tf.GradientTape() as tape:
        tape.watch(z)
        p = softmax(z)
    return tape.gradient(p, z, output_gradients=upstream).numpy()


def violated(shape, rng):
    """The first property that fails in one random case, or None."""
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
shapes = {tuple(rng.integers(0, 4, size=rng.integers(1, 4)).tolist())
          for _ in range(100)}
for shape in sorted(shapes, key=lambda s: (len(s), np.prod(s), s)):
    if broken := violated(shape, rng):
        print(f"shape {list(shape)} violates: {broken}")
        break
else:
    print(len(shapes), "shapes pass,",
          sum(0 in shape for shape in shapes), "of them empty,",
          sum(len(shape) == 1 for shape in shapes), "with one axis")
