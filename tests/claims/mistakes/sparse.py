"""The claims of docs/mistakes/sparse.md."""

import operator
import warnings
from unittest import mock

import numpy as np
import pytest
import tensorflow as tf
from tensorflow.python.framework import indexed_slices  # holds the limit

from tests.harness import INSIDE, NESTED, OUTSIDE, XLA, contrast, message, same

ARITHMETIC = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul")
COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")
OPERATORS = {name: getattr(operator, name) for name in (*ARITHMETIC, *COMPARISONS)}
VALUES = [[1, 2], [3, 4]]
SWAPPED = pytest.mark.parametrize("swapped", [False, True], ids=["left", "right"])
GRAPH = pytest.mark.parametrize("graph", [False, True], ids=["eager", "graph"])
DTYPES = [tf.float32, tf.float64]


def slices(dtype):
    """Return slices of two rows, as a tape returns them."""
    values = tf.constant(VALUES, dtype)
    return tf.IndexedSlices(values, tf.constant([0, 1]), tf.constant([2, 2]))


def applied(name, other, dtype, swapped, graph):
    """Apply an operator to slices and something else; return the result and its error."""
    results = []

    def apply():
        operands = [slices(dtype), other() if callable(other) else other]
        results.append(OPERATORS[name](*(operands[::-1] if swapped else operands)))

    error = message(tf.function(apply) if graph else apply)
    return (results or [None])[-1], error


@GRAPH
@SWAPPED
@pytest.mark.parametrize("name", OPERATORS)
def test_with_a_tensor(name, swapped, graph):
    for dtype in DTYPES:
        dense = tf.constant(VALUES, dtype)
        others = {
            "tensor": tf.constant([[2, 3], [3, 1]], dtype),
            "variable": tf.Variable([[2, 3], [3, 1]], dtype=dtype),
        }
        for other in others.values():
            result, error = applied(name, other, dtype, swapped, graph)
            assert not error and isinstance(result, tf.Tensor)
            operands = [dense, tf.convert_to_tensor(other)]
            right = OPERATORS[name](*(operands[::-1] if swapped else operands))
            if not graph:
                assert same(result, right)
    with contrast("slices"):
        result, _ = applied("mul", others["tensor"], tf.float64, swapped, graph)
        assert not isinstance(result, tf.IndexedSlices)
    with contrast("any variable: the product with a Keras variable is a list"):
        weight = tf.keras.Variable([[2.0, 3.0], [3.0, 1.0]])
        result, _ = applied("mul", weight, tf.float32, swapped, graph)
        assert isinstance(result, tf.IndexedSlices)
    with contrast("as with a Python number"):
        result, error = applied("mul", 2.0, tf.float32, swapped, graph)
        assert error.startswith("TypeError")


@GRAPH
@SWAPPED
@pytest.mark.parametrize("name", OPERATORS)
def test_no_operators(name, swapped, graph):
    for dtype in DTYPES:
        for other in 2, 2.0, 0.0, lambda dtype=dtype: slices(dtype):
            result, error = applied(name, other, dtype, swapped, graph)
            if name in ("eq", "ne"):
                assert not error and result is (name == "ne")
            else:
                assert error.startswith("TypeError: ")
    with contrast("if the values differ"):
        equal, _ = applied("eq", lambda: slices(tf.float32), tf.float32, swapped, graph)
        assert equal is False
    with contrast("also with a tensor"):
        result, error = applied(name, tf.ones([2, 2]), tf.float32, swapped, graph)
        assert not error and isinstance(result, tf.Tensor)


LOOKUPS = {
    "gather": lambda x: tf.gather(x, [0, 0, 1]),
    "embedding_lookup": lambda x: tf.nn.embedding_lookup(x, [1, 0]),
    "gather_nd": lambda x: tf.gather_nd(x, [[0], [1]]),
}


@pytest.mark.parametrize("lookup", LOOKUPS)
@pytest.mark.parametrize("place", [None, INSIDE, OUTSIDE, NESTED, XLA], ids=str)
def test_slices_as_target(place, lookup):
    x = tf.constant([[5.0], [6.0]])

    def first(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = LOOKUPS[lookup](x) ** 2.0
        gradient = tape.gradient(y, x)
        assert isinstance(gradient, tf.IndexedSlices)
        return gradient

    def second(x, convert=None):
        with tf.GradientTape() as tape:
            tape.watch(x)
            target = place.wrapped(first)(x) if place else first(x)
            if convert == "recording":
                target = tf.convert_to_tensor(target)
        if convert == "afterward":
            target = tf.convert_to_tensor(target)
        return tape.gradient(target, x)

    def asked(convert=None):
        function = lambda x: second(x, convert)
        if place in (INSIDE, NESTED, XLA):
            function = tf.function(function, jit_compile=place is XLA)
        return function(x)

    assert message(asked).startswith("AttributeError")
    assert asked("afterward") is None
    with contrast("while the tape records"):
        counts = LOOKUPS[lookup](np.eye(2, dtype="f"))
        right = 2 * tf.reduce_sum(counts, 0)[:, tf.newaxis]
        assert same(tf.convert_to_tensor(asked("recording")), right)


def dense(table):
    """Convert the gradient of a lookup in a table to a tensor."""
    with tf.GradientTape() as tape:
        tape.watch(table)
        y = tf.gather(tf.identity(table), [0])
    return tf.convert_to_tensor(tape.gradient(y, table))


def warned(function, *arguments):
    """Call a function, and return whether TensorFlow warned of the conversion."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function(*arguments)
    return any("Converting sparse IndexedSlices" in str(w.message) for w in caught)


@pytest.mark.parametrize("columns", [1, 10, 1000])
def test_warns_in_a_graph(columns):
    rows = 100_000_000 // columns

    def traced(*shape):
        spec = tf.TensorSpec(shape)
        return warned(tf.function(dense).get_concrete_function, spec)

    assert traced(rows, columns) and traced(rows + 1, columns)
    with contrast("of fewer elements, too"):
        assert not traced(rows - 1, columns)
    for unknown in [None, columns], [rows, None], None:
        spec = tf.TensorSpec(unknown)
        with contrast("also if the shape is unknown"):
            assert not warned(tf.function(dense).get_concrete_function, spec)
    limit = mock.patch.object(indexed_slices, "_LARGE_SPARSE_NUM_ELEMENTS", 6)
    with limit, contrast("eagerly, too"):
        assert not warned(dense, tf.ones([3, 2]))
        assert warned(tf.function(dense), tf.ones([3, 2]))
