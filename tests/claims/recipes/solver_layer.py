"""The claims of docs/recipes/solver_layer.md."""

import numpy as np
import pytest
import tensorflow as tf

from tests.harness import (
    EAGER,
    INSIDE,
    NESTED,
    OUTSIDE,
    contrast,
    message,
    program,
    same,
)

PLACES = pytest.mark.parametrize("place", [EAGER, INSIDE, OUTSIDE, NESTED], ids=str)
W = np.array([[3.0, -1.0, 0.0], [-0.5, 2.0, -1.0], [0.0, -0.5, 1.5]])
K = np.array([0.5, 1.0, 2.0])
X = np.random.default_rng(0).standard_normal([4, 3])


def by_iteration(x, W, k):
    """Solve the page's equations without derivatives."""
    y = np.zeros_like(x)
    for _ in range(400):
        y -= 0.2 * (y @ W.T + k * y**3 - x)
    return y


@PLACES
def test_any_solver(place):
    page = program("recipes/solver_layer/layer.py")
    names = page.condition.__globals__
    inputs = [tf.constant(value) for value in (X, W, K)]
    upstream = tf.constant(np.random.default_rng(1).standard_normal(X.shape))

    def gradients(solve):
        names["solve"] = solve

        def loss(*inputs):
            return tf.reduce_sum(upstream * page.solved(*inputs))

        return place.gradients(loss, *inputs)

    original = names["solve"]
    newton, iteration = gradients(original), gradients(by_iteration)
    far = gradients(lambda *inputs: original(*inputs) + 1.0)
    names["solve"] = original
    assert all(np.allclose(a, b, rtol=1e-6) for a, b in zip(newton, iteration))
    change = np.random.default_rng(2).standard_normal(X.shape)
    sides = [
        np.sum(upstream * original(X + h * change, W, K)) / 2e-6 for h in (1e-6, -1e-6)
    ]
    assert np.allclose(np.sum(newton[0] * change), sides[0] - sides[1], rtol=1e-5)
    with contrast("nor on whether y solves the equations"):
        assert not np.allclose(newton[0], far[0], rtol=0.01)


@PLACES
def test_left_out(place):
    page = program("recipes/solver_layer/converged.py")
    x = tf.constant([[1.0, -2.0], [100.0, 1.0], [0.5, 3.0]], tf.float64)
    k = tf.constant([1.0, 2.0], tf.float64)
    good = tf.gather(x, [0, 2])

    def loss(y):
        return tf.reduce_sum(tf.where(tf.math.is_finite(y), y, 0.0) ** 2)

    def gradients(x, steps=8, tolerance=1e-8):
        solved = page.build(steps, tolerance)
        y = place.value(solved, x, k)
        return y, place.gradients(lambda x, k: loss(solved(x, k)), x, k)

    y, (of_x, of_k) = gradients(x)
    y_of_good, (of_good, of_k_of_good) = gradients(good)
    assert np.isnan(y[1]).all() and same(of_x[1], [0.0, 0.0])
    assert np.allclose(tf.gather(y, [0, 2]), y_of_good)
    assert np.allclose(tf.gather(of_x, [0, 2]), of_good)
    assert np.allclose(of_k, of_k_of_good) and np.isfinite(of_k).all()
    with contrast("an infinite tolerance leaves it out, too"):
        y, (of_x, of_k) = gradients(x, tolerance=np.inf)
        assert np.isfinite(y).all() and not np.allclose(of_k, of_k_of_good, rtol=1e-3)
    with contrast("also with enough steps"):
        assert np.isfinite(gradients(x, steps=50)[0]).all()


@PLACES
def test_layer_behind_nan(place):
    y = tf.constant([[1.0, 2.0], [np.nan, np.nan]])
    good = tf.math.is_finite(y)
    kernel = tf.constant([[1.0], [3.0]])

    def loss(kernel, y):
        z = (y @ kernel) ** 2
        return tf.reduce_sum(tf.where(tf.math.is_finite(z), z, 0.0))

    assert np.isnan(place.gradient(lambda kernel: loss(kernel, y), kernel)).all()
    with contrast("also with `tf.where(good, y, 0.0)` in front of the layer"):
        masked = tf.where(good, y, 0.0)
        gradient = place.gradient(lambda kernel: loss(kernel, masked), kernel)
        assert same(gradient, [[14.0], [28.0]])


@pytest.mark.parametrize("in_graph", [False, True], ids=["eager", "graph"])
def test_empty_share(in_graph):
    def jacobian(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x**2
        return tape.batch_jacobian(y, x)

    function = jacobian
    if in_graph:
        spec = tf.TensorSpec([None, 3])
        function = tf.function(jacobian, input_signature=[spec])
    assert "division" in message(function, tf.zeros([0, 3]))
    with contrast("also for a single example"):
        assert same(function(tf.ones([1, 3])), [2.0 * tf.eye(3)])
