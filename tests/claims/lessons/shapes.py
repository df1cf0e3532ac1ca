"""The claims of docs/lessons/shapes.md."""

import pytest
import tensorflow as tf

from tests.harness import (
    COMMON,
    EAGER,
    FLOATS,
    OUTSIDE,
    PERSISTENT,
    contrast,
    gradients_in_fit,
    raised,
    same,
)

WRONG = {
    "column": tf.constant([[7.0], [8.0]]),
    "scalar": tf.constant(7.0),
    "empty": tf.zeros([0, 5]),
    "transposed": tf.ones([3, 2]),
    **{dtype.name: tf.ones([2, 3], dtype) for dtype in FLOATS},
    "int32": tf.ones([2, 3], tf.int32),
    "complex64": tf.ones([2, 3], tf.complex64),
    "bool": tf.constant(True),
}


def returning(gradient):
    """Sum the rows, with a ``grad`` that returns a given tensor."""

    @tf.custom_gradient
    def row_sums(x):
        return tf.reduce_sum(x, 1), lambda upstream: tf.identity(gradient)

    return row_sums


@pytest.mark.parametrize("place", [EAGER, PERSISTENT], ids=str)
@pytest.mark.parametrize("name", WRONG)
def test_unchecked(place, name):
    gradient = WRONG[name]
    for x in tf.ones([2, 3]), tf.ones([4, 1], tf.float64), tf.ones([1, 2], tf.bfloat16):
        result = place.gradient(returning(gradient), x)
        assert result.dtype == gradient.dtype and same(result.shape, gradient.shape)
        assert tf.reduce_all(result == gradient)
    variable = tf.Variable(tf.ones([2, 3]))
    with tf.GradientTape(persistent=place is PERSISTENT) as tape:
        y = returning(gradient)(variable)
    assert tf.reduce_all(tape.gradient(y, variable) == gradient)
    if name != "column":
        return
    column, x = returning(gradient), tf.ones([2, 3])
    with contrast("if something else uses the source, too"):
        error = raised(place.gradient, lambda x: column(x) + tf.reduce_sum(x, 1), x)
        assert isinstance(error, tf.errors.InvalidArgumentError)
    with contrast("outside, too"):
        assert isinstance(raised(OUTSIDE.gradient, column, x), ValueError)
    with contrast("for a tensor that was computed from the source"):
        error = raised(place.gradient, lambda x: returning(x[:1, :2])(2 * x), x)
        assert isinstance(error, tf.errors.InvalidArgumentError)


def dropping(with_other):
    """Define s times the row sums, without a gradient for s.

    Args:
        with_other: whether 3 s² is added, as another use of s.
    """

    @tf.custom_gradient
    def scaled(s, x):
        s, x = tf.identity(s), tf.identity(x)  # else, a branch raises

        def grad(upstream):
            column = tf.convert_to_tensor(upstream)[:, tf.newaxis]
            return None, s * column * tf.ones_like(x)

        return s * tf.reduce_sum(x, 1), grad

    return lambda s, x: scaled(s, x) + (3 * s**2 if with_other else 0)


@pytest.mark.parametrize("place", COMMON, ids=str)
def test_none_adds_nothing(place):
    x = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    function = dropping(with_other=True)
    of_both = [2 * 6 * 2.0, tf.fill([2, 3], 2.0)]  # two outputs have the penalty
    assert same(place.gradients(function, 2.0, x), of_both)
    if place is not EAGER:
        return
    for dtype in FLOATS:
        s, matrix = tf.constant(2, dtype), tf.cast(x, dtype)
        assert same(place.gradients(function, s, matrix), of_both)
    assert same(gradients_in_fit(function, 2.0, x), of_both)
    plain = EAGER.gradient(lambda s: 2 * 3 * s**2, 2.0)
    assert same(of_both[0], plain)
    with contrast("the input has no gradient then: None wipes out the other uses"):
        assert EAGER.gradient(lambda s: function(s, x), 2.0) is not None
    with contrast("it adds 0: without another use, the gradient is None"):
        assert EAGER.gradients(dropping(with_other=False), 2.0, x)[0] is None
