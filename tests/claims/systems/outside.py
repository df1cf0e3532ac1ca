"""The claims of docs/systems/outside.md."""

import numpy as np
import pytest
import tensorflow as tf

from tests.harness import (
    COMMON,
    EAGER,
    INSIDE,
    NESTED,
    OUTSIDE,
    VECTORIZED,
    XLA,
    XLA_OUTSIDE,
    contrast,
    program,
    raised,
    same,
)

COMPILED = [XLA, XLA_OUTSIDE]


def by_numpy(function, x):
    """Call a function of NumPy, and set the shape of its result."""
    y = tf.numpy_function(lambda x: function(x).astype(x.dtype), [x], x.dtype)
    y.set_shape(x.shape)
    return y


@tf.custom_gradient
def sine(x):
    """Compute the sine in NumPy, and its derivative in TensorFlow."""
    x = tf.identity(x)
    return by_numpy(np.sin, x), lambda upstream: upstream * tf.cos(x)


PLACES = [place for place in [*COMMON, *VECTORIZED] if place not in COMPILED]


@pytest.mark.parametrize("place", PLACES, ids=str)
def test_silently_cut(place):
    x = tf.constant([0.5, 2.0])
    terms = place.gradient(lambda x: 3 * x + by_numpy(np.sin, x), x)
    assert same(terms, [3.0, 3.0])
    alone = place.gradient(lambda x: by_numpy(np.sin, x), x)
    assert alone is None or same(alone, [0.0, 0.0])
    if place in (INSIDE, OUTSIDE, NESTED):
        with contrast("also with a custom gradient"):
            right = 3 + np.cos(np.float32([0.5, 2.0]))
            assert same(place.gradient(lambda x: 3 * x + sine(x), x), right, 1e-6)
    if place is EAGER:
        with contrast("always 0"):
            assert alone is None


@pytest.mark.parametrize("nested", [False, True], ids=["plain", "nested"])
def test_unknown_rank(nested):
    ranks = []

    def call(x):
        y = tf.numpy_function(lambda x: x, [x], x.dtype)
        ranks.append((y.shape.rank, tf.exp(y).shape.rank))
        return y

    inner = tf.function(call) if nested else call
    graph = tf.function(inner)
    for x in (tf.constant(1.0), tf.ones([3]), tf.ones([2, 0]), tf.ones([2, 1, 3])):
        ranks.clear()
        assert same(graph(x), x)
        assert {*ranks} == {(None, None)}
        with contrast("in eager mode, too"):
            ranks.clear()
            call(x)
            assert ranks == [(x.shape.rank,) * 2]


WRONG, RIGHT = (
    program(f"systems/outside/{name}.py").sinc for name in ("wrong/second", "twice")
)


@pytest.mark.parametrize("place", [EAGER, INSIDE, OUTSIDE, NESTED], ids=str)
def test_constant_for_second(place):
    x = np.array([0.25, 0.5, 1.1, 1.9])
    first = (np.cos(np.pi * x) - np.sinc(x)) / x
    constant = -np.pi * np.sin(np.pi * x) / x - first / x  # as if y were a constant
    second = constant - first / x
    assert np.allclose(place.gradient(WRONG, x), first)
    assert np.allclose(place.derivative(WRONG, x), constant)
    assert not np.any(np.isclose(constant, second))
    with contrast("as a function of x, which grad gets by a call of the function"):
        assert np.allclose(place.derivative(RIGHT, x), second)


DTYPES = [np.float16, np.float32, np.float64, np.int32, np.int64]


@pytest.mark.parametrize("declared", [tf.float32, tf.float64, tf.int32])
def test_returned_dtype(declared):
    for returned in DTYPES:
        call = lambda x, returned=returned: tf.numpy_function(
            lambda x: x.astype(returned), [x], declared
        )
        x = tf.constant([1.0, 2.0])
        assert call(x).dtype.as_numpy_dtype is returned
        graph = tf.function(call).get_concrete_function(x)
        if declared.as_numpy_dtype is returned:
            assert graph(x).dtype == declared
        else:
            with contrast("and a graph converts it"):
                error = raised(graph, x)
                assert isinstance(error, tf.errors.InvalidArgumentError)
                assert "but expects" in str(error)


_INPUT = tf.constant(1.0)
FORMS = {
    "plain": lambda draw, x: draw() + x,
    "nested": lambda draw, x: tf.function(draw)() + x,
    "branch": lambda draw, x: tf.cond(x > 0, lambda: draw() + x, lambda: x),
    "loop": lambda draw, x: tf.while_loop(
        lambda i, _: i < 3, lambda i, _: (i + 1, draw()), (0, x)
    )[1],
    "map_fn": lambda draw, x: tf.map_fn(lambda x: x + draw(), tf.stack([x, x])),
}


@pytest.mark.parametrize("form", FORMS)
def test_constant_arguments(form):
    calls = []

    def counted(*inputs):
        calls.append(inputs)
        return np.float32(len(calls))

    def runs(inputs, stateful=False):
        """Build a graph, run it three times, and return the results."""
        calls.clear()

        def draw():
            y = tf.numpy_function(counted, inputs(), tf.float32, stateful=stateful)
            return tf.ensure_shape(y, [])

        graph = tf.function(lambda x: FORMS[form](draw, x))
        return [np.sum(graph(_INPUT)) for _ in range(3)]

    for inputs in (
        list,
        lambda: [np.ones(3), 2],
        lambda: [2 * tf.constant([1.0, 2.0])],
    ):
        results = runs(inputs)
        assert len(calls) == 1 and len({*results}) == 1
        with contrast("by default, too"):
            results = runs(inputs, stateful=True)
            assert len(calls) >= 3 and len({*results}) == 3
    eager, variable = tf.constant(1.0), tf.Variable(1.0)
    with contrast("also with an eager tensor or a variable, which isn't in the graph"):
        for value in (eager, variable):
            results = runs(lambda value=value: [value])
            assert len(calls) >= 3 and len({*results}) == 3
