"""The claims of docs/mistakes/linter.md."""

import numpy as np
import pytest
import tensorflow as tf

from tests.harness import contrast
from vjpcheck import check_rule, explain

X = tf.constant([0.7, -1.3])


def custom(values, gradient):
    """A function with a gradient function of the input and of upstream."""

    @tf.custom_gradient
    def function(x):
        return values(x), lambda upstream: gradient(x, upstream)

    return function


RIGHT = custom(tf.sin, lambda x, up: tf.convert_to_tensor(up) * tf.cos(x))
MISTAKES = {
    "number": (custom(tf.sin, lambda x, up: (up, up)), "returns 2 gradients"),
    "shape": (custom(tf.sin, lambda x, up: tf.reduce_sum(up)), "has the shape"),
    "dtype": (custom(tf.identity, lambda x, up: tf.cast(up, tf.float64)), "float64"),
    "upstream": (custom(tf.sin, lambda x, up: tf.cos(x)), "doesn't depend on upstream"),
    "value": (custom(tf.sin, lambda x, up: tf.convert_to_tensor(up) * x), "check_rule"),
    "graph": (custom(tf.sin, lambda x, up: up * np.cos(x)), "inside tf.function"),
}


@pytest.mark.parametrize("function, words", MISTAKES.values(), ids=MISTAKES)
def test_explain_mistakes(function, words):
    for x in (X, tf.constant([[0.2], [2.5]])):
        mistakes = [advice for advice in explain(function, x) if advice.is_mistake]
        assert any(words in advice.text for advice in mistakes)
        with contrast("also for a right gradient"):
            assert not any(advice.is_mistake for advice in explain(RIGHT, x))


def consumes():
    """A function whose gradient function can be called only once."""

    @tf.custom_gradient
    def function(x):
        kept = [x]

        def grad(upstream):
            return tf.convert_to_tensor(upstream) * 2.0 * kept.pop()

        return x**2, grad

    return function


def by_numpy(x):
    """Call NumPy in a way that works in a graph."""
    return tf.ensure_shape(tf.numpy_function(np.cos, [x], x.dtype), x.shape)


def dense(up):
    """Add the rows of IndexedSlices."""
    return tf.convert_to_tensor(up)


LIMITS = {
    "vectorized": (custom(tf.identity, lambda x, up: -up), "tf.vectorized_map"),
    "XLA": (custom(tf.sin, lambda x, up: dense(up) * by_numpy(x)), "XLA can't"),
    "gather": (custom(tf.sin, lambda x, up: 2.0 * up * tf.cos(x) / 2.0), "tf.gather"),
    "again": (consumes(), "a second backward pass"),
    "extreme": (
        custom(tf.nn.softplus, lambda x, up: dense(up) * tf.exp(x) / (1 + tf.exp(x))),
        "the value is finite, but the gradient isn't",
    ),
    "second": (
        custom(tf.sin, lambda x, up: dense(up) * tf.stop_gradient(tf.cos(x))),
        "the second derivative is None",
    ),
}
OPTIONS = {
    "vectorized": {"downstream_becomes": lambda downstream, x: -downstream},
    "second": {"second_order": False},
    "XLA": {"second_order": False},
}


@pytest.mark.parametrize("name", LIMITS)
def test_explain_limits(name):
    function, words = LIMITS[name]
    found = explain(function, X, **OPTIONS.get(name, {}))
    assert any(words in advice.text for advice in found)
    with contrast("also mistakes"):
        assert not any(advice.is_mistake for advice in found)
    with contrast("of a gradient that is wrong at the inputs"):
        assert check_rule(function, X, **OPTIONS.get(name, {})).points
    with contrast("limits for every gradient"):
        assert not any(words in advice.text for advice in explain(RIGHT, X))


@pytest.mark.parametrize("x", [0.7, [0.2, -1.4]], ids=str)
def test_explain_options(x):
    straight_through = custom(tf.round, lambda x, up: up)
    x = tf.constant(x)
    assert any(advice.is_mistake for advice in explain(straight_through, x))
    described = explain(straight_through, x, gradient_of=tf.identity)
    assert not any(advice.is_mistake for advice in described)
    with contrast("with gradient_of=tf.sin as well"):
        wrong = explain(straight_through, x, gradient_of=tf.sin)
        assert any(advice.is_mistake for advice in wrong)
