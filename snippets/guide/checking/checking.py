"""check_gradient, a helper to copy, and three tests that use it."""

import numpy as np
import tensorflow as tf


def check_gradient(function, *inputs, seed=0, h=1e-5, rel=1e-6):
    """Assert that the gradient agrees with finite differences at inputs."""
    rng = np.random.default_rng(seed)
    inputs = [tf.constant(x, tf.float64) for x in inputs]
    upstream = [rng.standard_normal(y.shape)
                for y in tf.nest.flatten(function(*inputs))]

    def weighted_sum(inputs):
        outputs = tf.nest.flatten(function(*inputs))
        return sum(tf.reduce_sum(u * y) for u, y in zip(upstream, outputs))

    def gradients():
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            value = weighted_sum(inputs)
        return tape.gradient(value, inputs)

    in_graph = tf.function(gradients).get_concrete_function()
    for compute in (gradients, in_graph):
        for i, (x, downstream) in enumerate(zip(inputs, compute())):
            assert downstream is not None, f"input {i}: no gradient"
            has, needs = ((each.shape, each.dtype) for each in (downstream, x))
            assert has == needs, f"input {i}: {has}, not {needs}"
            v = rng.standard_normal(x.shape)
            step = h / max(1.0, np.linalg.norm(v))
            plus, minus = (
                weighted_sum([*inputs[:i], x + move, *inputs[i + 1:]])
                for move in (step * v, -step * v))
            by_values = (plus - minus) / (2 * step)
            by_gradient = tf.reduce_sum(downstream * v)
            scale = abs(by_values) + tf.norm(downstream)
            assert abs(by_gradient - by_values) <= rel * scale + 1e-9, (
                f"input {i}: gradient gives {by_gradient:.6g},"
                f" finite differences give {by_values:.6g}")


@tf.custom_gradient
def cube(x):
    return x * x * x, lambda upstream: upstream * 3.0 * x * x


# truth: A.shape.rank == B.shape.rank == 2
@tf.custom_gradient
def product(A, B):
    return A @ B, lambda upstream: (
        upstream @ tf.transpose(B), tf.transpose(A) @ upstream)


def test_cube():
    for seed in range(10):
        check_gradient(cube, [1.3, -0.7, 0.0], seed=seed)


def test_cube_shapes():
    for shape in ([], [1], [0, 3], [2, 3, 4]):
        check_gradient(cube, np.random.default_rng(1).standard_normal(shape))


def test_product():
    check_gradient(product, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]],
                   [[1.0], [0.5], [-1.0]])


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
            print(name, "passes")
