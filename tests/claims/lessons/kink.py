"""The claims of docs/lessons/kink.md."""

import numpy as np
import pytest
import tensorflow as tf

from tests.harness import COMMON, EAGER, contrast, gradients_in_fit, raised, same


@pytest.mark.parametrize("place", COMMON, ids=str)
def test_at_zero(place):
    values = [tf.constant([0, -0.0, 1, -1], dtype) for dtype in place.dtypes]
    relu, first = [0.0, 0.0, 1.0, 0.0], [1.0, 1.0, 1.0, 0.0]
    both = [r + 10 * f for r, f in zip(relu, first)]
    expected = [both] * len(values) + [10.0]
    xs = [*values, tf.constant(0.0)]
    assert same(
        place.each(lambda x: tf.nn.relu(x) + 10 * tf.maximum(x, 0.0), xs), expected
    )
    if place is not EAGER:
        return
    for x in values:
        assert same(place.gradient(tf.nn.relu, x), relu)
        assert same(place.gradient(lambda x: tf.maximum(x, 0.0), x), first)
    for function, gradient in (tf.nn.relu, 0.0), (lambda x: tf.maximum(x, 0.0), 1.0):
        assert same(gradients_in_fit(function, 0.0), [gradient])
    with contrast("tf.maximum(0.0, x), with the arguments exchanged, has gradient 1"):
        assert same(EAGER.gradient(lambda x: tf.maximum(0.0, x), 0.0), 0.0)
    with contrast("½, the mean of both sides"):
        shared = EAGER.gradient(lambda x: tf.reduce_max(tf.stack([x, 0 * x])), 0.0)
        assert same(shared, 0.5)


def bend(condition):
    """Choose one of two numbers by ``tf.cond``."""
    return tf.cond(condition, lambda: tf.constant(2.0), lambda: tf.constant(1.0))


CONDITIONS = {
    "two": [True, False],
    "equal": [True, True, True],
    "matrix": np.eye(2, dtype=bool),
    "numbers": [1.0, 2.0],
}


@pytest.mark.parametrize("convert", [tf.constant, np.array, tf.Variable])
@pytest.mark.parametrize("name", CONDITIONS)
def test_several_elements(name, convert):
    error = raised(bend, convert(CONDITIONS[name]))
    assert isinstance(error, ValueError) and "more than one element" in str(error)
    x = tf.constant([-1.0, 0.0, 1.0])
    error = raised(
        EAGER.gradient, lambda x: tf.cond(x > 0, lambda: x, lambda: 2 * x), x
    )
    assert isinstance(error, ValueError)
    with contrast("if its condition has rank 1 or more: a single element is enough"):
        assert bend(convert([[True]])) == 2 and bend(convert([False])) == 1
    with contrast("only if its elements differ"):
        assert isinstance(raised(bend, convert([False, False])), ValueError)
    with contrast("in a tf.function, a ValueError, too"):
        in_graph = tf.function(lambda x: bend(x > 0))
        assert isinstance(raised(in_graph, x), tf.errors.InvalidArgumentError)
