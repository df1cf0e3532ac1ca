"""The claims of docs/mistakes/orders.md."""

import numpy as np
import pytest
import tensorflow as tf

from tests.harness import (
    ALL_OUTSIDE,
    BLOCKS,
    EAGER,
    FORWARDS,
    INSIDE,
    OUTSIDE,
    SYMBOLIC,
    UNKNOWN,
    XLA,
    contrast,
    message,
    raised,
    same,
)

X = np.float32([0.5, 2.0])
STRATEGY = [place for place in BLOCKS if place.name == "strategy.run, inside"]
DIRECT = [INSIDE, XLA, SYMBOLIC, *UNKNOWN[::2], *STRATEGY]
"""The tapes are inside the tf.function, which calls the function directly."""


def power(n, decorate=True):
    """xⁿ, whose ``grad`` is decorated, and captures x."""

    @tf.custom_gradient
    def function(x):
        x = tf.identity(x)

        def plain(upstream):
            return upstream * n * x ** (n - 1)

        @tf.custom_gradient
        def grad(upstream):
            return plain(upstream), lambda second: second * n * x ** (n - 1)

        return x**n, grad if decorate else plain

    return function


@pytest.mark.parametrize("n", [3.0, 4.0])
@pytest.mark.parametrize("place", DIRECT, ids=str)
def test_decorated_grad(place, n):
    second = n * (n - 1) * X ** (n - 2)
    function, undecorated = power(n), power(n, decorate=False)
    assert place.derivative(function, X) is None
    # The second derivative of y² is 2 y'² + 2 y y''. The second term is lost.
    first_term = 2 * (n * X ** (n - 1)) ** 2
    assert same(place.derivative(lambda x: function(x) ** 2, X), first_term, 1e-5)
    with contrast("an undecorated grad"):
        assert same(place.derivative(undecorated, X), second, 1e-5)
    with contrast("eagerly, too"):
        assert same(EAGER.derivative(function, X), second, 1e-5)
    with contrast("with both tapes outside, too"):
        assert message(OUTSIDE.derivative, function, X).startswith("TypeError")


def nested(captured, copy_in=None):
    """An exponential whose ``grad`` calls another one, which captures a tensor.

    The argument of that call is a copy that the forward pass or ``grad`` makes, or ``x``.
    """

    @tf.custom_gradient
    def inner(x):
        x = tf.identity(x) if captured == "copy" else x
        y = tf.exp(x)
        return y, lambda u: u * (y if captured == "output" else tf.exp(x))

    @tf.custom_gradient
    def outer(x):
        tensor = tf.identity(x) if copy_in == "forward pass" else x

        def grad(u):
            return u * inner(tf.identity(x) if copy_in == "grad" else tensor)

        return tf.exp(x), grad

    return outer


NO_BRANCH = [place for place in ALL_OUTSIDE if "branch" not in place.name]


@pytest.mark.parametrize("place", NO_BRANCH, ids=str)
def test_captures_its_input(place):
    for copy_in in None, "forward pass":
        function = nested("input", copy_in)
        assert isinstance(raised(place.derivative, function, X), TypeError)
    with contrast("on any tensor, also one that `grad` computes"):
        function = nested("input", "grad")
        assert same(place.derivative(function, X), np.exp(X), 1e-5)
    with contrast("also if that captures a copy of its input, or its output"):
        for captured in "copy", "output":
            assert same(place.derivative(nested(captured), X), np.exp(X), 1e-5)
    with contrast("and the first derivative"):
        assert same(place.gradient(nested("input"), X), np.exp(X), 1e-5)
    with contrast("with both tapes inside, too"):
        for inside in INSIDE, XLA:
            assert same(inside.derivative(nested("input"), X), np.exp(X), 1e-5)


FUNCTIONS = {
    "cube": (lambda x: x * x * x, lambda x: 6 * x),
    "sine": (tf.sin, lambda x: -np.sin(x)),
    "custom": (power(3.0, decorate=False), lambda x: 6 * x),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("place", [INSIDE, XLA, *UNKNOWN[::2]], ids=str)
def test_constant_jvp(place, name):
    function, second = FUNCTIONS[name]
    graph, eager = tf.function(function), FORWARDS[0]
    assert place.gradient(lambda x: eager.jvp(graph, x), X) is None
    jvp = EAGER.gradient(function, X)
    assert same(place.gradient(lambda x: eager.jvp(graph, x) * x, X), jvp, 1e-5)
    with contrast("around a plain call in the same tf.function"):
        if name != "custom":  # whose operations a plain call differentiates
            of_jvp = place.gradient(lambda x: eager.jvp(function, x), X)
            assert same(of_jvp, second(X), 1e-5)
    with contrast("what an accumulator inside the other tf.function returns"):
        inner = tf.function(lambda x: eager.jvp(function, x))
        assert same(place.gradient(inner, X), second(X), 1e-4)
    with contrast("eagerly, too"):
        assert message(EAGER.gradient, lambda x: eager.jvp(graph, x), X)
