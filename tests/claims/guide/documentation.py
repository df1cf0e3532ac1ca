"""The claims of docs/guide/documentation.md."""

import doctest
import functools
import inspect
import re

import numpy as np
import pytest
import tensorflow as tf

from tests.harness import (
    BLOCKS,
    COMMON,
    EAGER,
    contrast,
    message,
    program,
    raised,
    same,
)

WRAPS = {
    "eager": lambda function: function,
    "tf.function": tf.function,
    "XLA": tf.function(jit_compile=True),
}
WRAP = pytest.mark.parametrize("wrap", WRAPS.values(), ids=WRAPS)


def linear_poly(weights):
    """The function that the docstring of tf.custom_gradient defines."""
    examples = doctest.DocTestParser().get_examples(tf.custom_gradient.__doc__)
    [code] = [each.source for each in examples if "def linear_poly" in each.source]
    names = {"tf": tf, "weights": weights}
    exec(code, names)
    return names["linear_poly"]


@WRAP
def test_swapped_gradients(wrap):
    weights = tf.Variable([2.0, 3.0])
    documented = linear_poly(weights)

    def gradients(x, function):
        with tf.GradientTape() as tape:
            y = function(x)
            loss = tf.reduce_sum(y * y)
        return tape.gradient(loss, weights), y

    taught = wrap(lambda x: gradients(x, documented))
    plain = wrap(lambda x: gradients(x, lambda x: weights[0] + weights[1] * x))
    for x in ([1.0, 2.0, 3.0], [-4.0, 0.5]):
        (swapped, y), (right, same_y) = taught(tf.constant(x)), plain(tf.constant(x))
        assert same(y, same_y, 1e-6) and same(swapped, right[::-1], 1e-5)
        with contrast("in the right order"):
            assert not same(swapped, right, 0.1)
    with contrast("of the input, too"):
        x = tf.constant([1.0, 2.0])
        assert same(EAGER.gradient(documented, x), [3.0, 3.0])


@pytest.mark.parametrize("place", COMMON, ids=str)
def test_skeleton_raises(place):
    cube = program("guide/documentation/wrong/nested.py").cube
    right = program("guide/documentation/solution.py").cube
    if place in BLOCKS:  # there, the skeleton reads the x of a different graph
        outer = cube

        def cube(x):
            return outer(tf.identity(x))

    x = tf.constant([2.0])
    if place not in BLOCKS:
        assert same(place.gradient(cube, x), [12.0])
    words = "but returned|returned too few|Num gradients"
    assert re.search(words, message(place.derivative, cube, x))
    with contrast("a second derivative of nested custom gradients always raises"):
        assert same(place.derivative(right, x), [12.0])


def log1pexp():
    """The second function of this name in the docstring, with a custom gradient."""
    text = inspect.cleandoc(tf.custom_gradient.__doc__)
    pieces = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    names = {"tf": tf}
    exec(next(piece for piece in pieces if "(1 - 1 / (1 + e))" in piece), names)
    return names["log1pexp"]


@pytest.mark.parametrize("place", COMMON, ids=str)
def test_infinite_value(place):
    documented = log1pexp()

    def function(x):
        return documented(tf.identity(x))

    x = tf.constant([100.0])
    assert np.isinf(place.value(function, x))
    assert np.isnan(place.derivative(function, x, 2))
    with contrast("the first derivative is wrong, too"):
        assert same(place.gradient(function, x), [1.0])
    with contrast("in float64, too"):
        assert same(EAGER.value(function, tf.constant(100.0, tf.float64)), 100.0)


@functools.cache
def gradients_of(wrap, persistent):
    """A function that computes gradients in the block, and of a variable."""
    v = tf.Variable(3.0)

    def gradients():
        with tf.GradientTape(persistent=persistent) as tape:
            inside = tape.gradient(v * v, v)
        with tf.GradientTape(persistent=persistent) as tape:
            tape.watch(v)
        return inside, tape.gradient(v, v)

    return wrap(gradients)


def called_twice():
    """Call tape.gradient twice in the block of a tape that isn't persistent."""
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        return tape.gradient(y, x) + tape.gradient(y, x)


@WRAP
@pytest.mark.parametrize("persistent", [False, True])
def test_documented_errors(wrap, persistent):
    assert same(list(gradients_of(wrap, persistent)()), [6.0, 1.0])

    def unconnected(value):
        x = tf.constant(3.0)
        with tf.GradientTape(persistent=persistent) as tape:
            tape.watch(x)
            y = x * x
        return tape.gradient(y, x, unconnected_gradients=value)

    if not persistent:
        with contrast("also if you call it twice in the block"):
            error = raised(wrap(called_twice))
            assert isinstance(error, RuntimeError)
    for value in ("nonsense", "one"):
        error = raised(wrap(lambda value=value: unconnected(value)))
        assert isinstance(error, ValueError)
    with contrast("for every value"):
        for value in ("none", "zero", tf.UnconnectedGradients.ZERO):
            assert same(wrap(lambda value=value: unconnected(value))(), 6.0)
