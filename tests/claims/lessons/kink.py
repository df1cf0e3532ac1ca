"""The claims of docs/lessons/kink.md."""

import numpy as np
import pytest
import tensorflow as tf

from tests.harness import COMMON, EAGER, contrast, gradients_in_fit, raised, same


@pytest.mark.parametrize("place", COMMON, ids=str)
def test_relu_at_zero(place):
    xs = [tf.constant([0, -0.0, 1, -1], dtype) for dtype in place.dtypes]
    slopes = [0.0, 0.0, 1.0, 0.0]
    expected = [*[slopes] * len(xs), 0.0]
    assert same(place.each(tf.nn.relu, [*xs, tf.constant(0.0)]), expected)
    if place is not EAGER:
        return
    assert same(gradients_in_fit(tf.nn.relu, [0.0, -0.0, 1.0]), [[0.0, 0.0, 1.0]])
    assert same(EAGER.gradient(lambda x: tf.keras.activations.relu(x), 0.0), 0.0)
    assert same(EAGER.gradient(lambda x: 1e30 * tf.nn.relu(x), 0.0), 0.0)
    with contrast("1, the slope of its steep side, as of tf.maximum(x, 0.0)"):
        assert same(EAGER.gradient(lambda x: tf.maximum(x, 0.0), 0.0), 1.0)
        assert same(EAGER.gradient(tf.nn.relu, 1e-30), 1.0)
    with contrast("½, the mean of both slopes, as of tf.reduce_max"):
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
