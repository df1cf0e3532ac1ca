"""The claims of docs/mistakes/linter.md."""

import functools

import numpy as np
import pytest
import tensorflow as tf

import vjpcheck
from tests.harness import EAGER, contrast

X = tf.constant([0.7, -1.3])


def explain(function, x, **options):
    """Return the advice on a function of one input."""
    return vjpcheck.explain(function, (x,), **options)


def custom(values, gradient):
    """A function with a gradient function of the input and of upstream."""

    @tf.custom_gradient
    def function(x):
        return values(x), lambda upstream: gradient(x, upstream)

    return function


RIGHT = custom(tf.sin, lambda x, up: tf.convert_to_tensor(up) * tf.cos(x))


def consumes():
    """A function whose gradient function can be called only once."""

    @tf.custom_gradient
    def function(x):
        kept = [x]

        def grad(upstream):
            return tf.convert_to_tensor(upstream) * 2.0 * kept.pop()

        return x**2, grad

    return function


WRONG_NUMBER = "the gradient with respect to x"
MISTAKES = {
    "number": (custom(tf.sin, lambda x, up: (up, up)), "returns 2 gradients"),
    "shape": (custom(tf.sin, lambda x, up: tf.reduce_sum(up)), "has shape"),
    "dtype": (custom(tf.identity, lambda x, up: tf.cast(up, tf.float64)), "float64"),
    "upstream": (custom(tf.sin, lambda x, up: tf.cos(x)), "doesn't depend on upstream"),
    "value": (custom(tf.sin, lambda x, up: tf.convert_to_tensor(up) * x), WRONG_NUMBER),
    "graph": (custom(tf.sin, lambda x, up: up * np.cos(x)), "inside tf.function"),
    "again": (consumes(), "a second backward pass"),
}


@pytest.mark.parametrize("function, words", MISTAKES.values(), ids=MISTAKES)
def test_explain_mistakes(function, words):
    for x in (X, tf.constant([[0.2], [2.5]])):
        mistakes = [advice for advice in explain(function, x) if advice.is_mistake]
        assert any(words in advice.text for advice in mistakes)
        with contrast("also for a right gradient"):
            assert not any(advice.is_mistake for advice in explain(RIGHT, x))


def by_numpy(x):
    """Call NumPy in a way that works in a graph."""
    return tf.ensure_shape(tf.numpy_function(np.cos, [x], x.dtype), x.shape)


def dense(up):
    """Add the rows of IndexedSlices."""
    return tf.convert_to_tensor(up)


def wrong_second(x, up):
    """Return the gradient of sin, computed by a function whose own gradient is wrong."""
    return dense(up) * custom(tf.cos, lambda x, up: up * tf.sin(x))(x)


LIMITS = {
    "vectorized": (
        custom(
            lambda x: tf.stop_gradient(tf.sin(x)), lambda x, up: dense(up) * tf.cos(x)
        ),
        "tf.vectorized_map",
    ),
    "XLA": (custom(tf.sin, lambda x, up: dense(up) * by_numpy(x)), "XLA can't"),
    "gather": (custom(tf.sin, lambda x, up: 2.0 * up * tf.cos(x) / 2.0), "tf.gather"),
    "extreme": (
        custom(tf.identity, lambda x, up: dense(up) * (1 + x**4) / (1 + x**4)),
        "the value is finite, but the gradient isn't",
    ),
    "second": (
        custom(tf.sin, lambda x, up: dense(up) * tf.stop_gradient(tf.cos(x))),
        "the second derivative is None",
    ),
    "wrong second": (custom(tf.sin, wrong_second), "the second derivative at x"),
    "nested": (custom(tf.sin, wrong_second), "with all tapes outside a tf.function"),
}


def is_wrong(function):
    """Return whether the gradient differs from finite differences."""
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = function(X)
    gradient = tape.gradient(y, X)
    h = 1e-2
    difference = (function(X + h) - function(X - h)) / (2 * h)
    return not np.allclose(gradient, difference, rtol=1e-3)


@functools.cache
def limits_of_right():
    """The texts of the advice for a right gradient."""
    return [advice.text for advice in explain(RIGHT, X)]


@pytest.mark.parametrize("name", LIMITS)
def test_explain_limits(name):
    function, words = LIMITS[name]
    limits = explain(function, X)
    assert any(words in advice.text for advice in limits)
    with contrast("also mistakes"):
        assert not any(advice.is_mistake for advice in limits)
    with contrast("if a wrong gradient is lost: these gradients are right"):
        assert not is_wrong(function)
    with contrast("limits for every gradient"):
        assert not any(words in text for text in limits_of_right())
    if name == "XLA":
        with contrast("also if it calls NumPy directly, which fails in tf.function"):
            direct = custom(tf.sin, lambda x, up: dense(up) * np.cos(x))
            mistakes = explain(direct, X)
            assert any(advice.is_mistake for advice in mistakes)
    if name == "extreme":
        gradients = [EAGER.gradient(function, value) for value in (1000.0, 1e30)]
        assert np.isfinite(gradients).tolist() == [True, False]
        with contrast("also if it isn't finite near 1000, which is a mistake"):
            exps = custom(tf.identity, lambda x, up: dense(up) * tf.exp(x) / tf.exp(x))
            assert not is_wrong(exps)
            assert any(advice.is_mistake for advice in explain(exps, X))


@pytest.mark.parametrize("x", [0.7, [0.2, -1.4]], ids=str)
def test_explain_options(x):
    straight_through = custom(tf.round, lambda x, up: up)
    x = tf.constant(x)
    assert any(advice.is_mistake for advice in explain(straight_through, x))
    described = explain(straight_through, x, like=tf.identity)
    assert not any(advice.is_mistake for advice in described)
    with contrast("with like=tf.sin as well"):
        wrong = explain(straight_through, x, like=tf.sin)
        assert any(advice.is_mistake for advice in wrong)
