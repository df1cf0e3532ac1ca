"""A Jacobian by columns and by rows, compared with finite differences."""

import tensorflow as tf

W = tf.constant([[1.0, 2.0], [0.5, -1.0], [2.0, 0.0]], tf.float64)


@tf.custom_gradient
def cubes(x):
    s = tf.linalg.matvec(W, x)
    return s ** 3.0, lambda upstream: tf.linalg.matvec(
        W, upstream * 3.0 * s ** 2.0, transpose_a=True)


def column(f, x, dx):
    with tf.autodiff.ForwardAccumulator(x, dx) as accumulator:
        y = f(x)
    return accumulator.jvp(y)


def columns(f, x):
    unit = tf.unstack(tf.eye(2, dtype=x.dtype))
    return tf.stack([column(f, x, dx) for dx in unit], axis=1)


def rows(f, x, **options):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = f(x)
    return tape.jacobian(y, x, **options)


def differences(f, x, h=1e-5):
    unit = tf.unstack(tf.eye(2, dtype=x.dtype))
    moved = [(f(x + h * dx) - f(x - h * dx)) / (2.0 * h) for dx in unit]
    return tf.stack(moved, axis=1)


x = tf.constant([1.0, 0.5], tf.float64)
right = differences(cubes, x)
found = {
    "columns, eager": columns(cubes, x),
    "columns, outside tf.function": columns(tf.function(cubes), x),
    "rows, pfor": rows(cubes, x),
    "rows, one by one": rows(cubes, x, experimental_use_pfor=False),
}
print("Jacobian =", right.numpy().round(4).tolist())
for name, J in found.items():
    error = tf.reduce_max(abs(J - right))
    print(f"{name:28} differs by less than 1e-6: {error < 1e-6}")
