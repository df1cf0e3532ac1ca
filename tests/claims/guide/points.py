"""The claims of docs/guide/points.md."""

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.harness import (
    COMMON,
    EAGER,
    FLOATS,
    MODES,
    XLA,
    XLA_OUTSIDE,
    arrays,
    contrast,
    same,
)


def filled(values, dtypes):
    """Create a tensor with 17 copies of the values, for each dtype."""
    return [tf.constant(values * 17, dtype) for dtype in dtypes]


def clip(x):
    """Clip to the range from -1 to 1."""
    return tf.clip_by_value(x, tf.cast(-1, x.dtype), tf.cast(1, x.dtype))


def both_clips(x):
    """Clip by ``tf.clip_by_value`` at -1 and 1, and by relu6 at 0 and 6."""
    return [clip(x), 10 * tf.nn.relu6(x)]


@pytest.mark.parametrize("place", COMMON, ids=str)
def test_ends_of_a_clip(place):
    xs = filled([-1, 1, 6, 7], place.dtypes)
    for gradient in place.each(both_clips, xs):
        of_clip, of_relu6 = [1, 1, 0, 0], [0, 1, 0, 0]
        slopes = [a + 10 * b for a, b in zip(of_clip, of_relu6)]
        assert same(gradient, slopes * 17)
        with contrast("the other way round: relu6 has slope 1, `tf.clip_by_value` 0"):
            assert gradient[2] != 10 and gradient[0] != 0
        with contrast("as for `tf.clip_by_value` beyond its ends: 0"):
            assert gradient[0] == 1 and gradient[3] == 0


def larger_and_smaller(x, y):
    """Compute the maximum, and the minimum with another upstream gradient."""
    return [tf.maximum(x, y), 10 * tf.minimum(x, y)]


@pytest.mark.parametrize("place", MODES, ids=str)
@settings(max_examples=4)
@given(x=arrays((5,)), larger=arrays((5,), st.integers(-1, 1)))
def test_first_argument(place, x, larger):
    y = tf.constant(x + larger * (1 + np.abs(x)))
    tied = larger == 0
    of_x, of_y = place.gradients(larger_and_smaller, x, y)
    assert same(of_x[tied], [11.0] * tied.sum())
    assert same(of_y[tied], [0.0] * tied.sum())
    with contrast("also if they aren't equal"):
        assert same(of_y[larger == 1], [1.0] * (larger == 1).sum())
    for dtype in FLOATS if place is EAGER else []:
        x = tf.cast(x, dtype)
        of_x, of_y = place.gradients(larger_and_smaller, x, tf.identity(x))
        assert same(of_x, [11.0] * 5) and same(of_y, [0.0] * 5)
        with contrast("each gets one half, as in `tf.reduce_max`"):
            shares = place.gradient(tf.reduce_max, tf.stack([x[0], x[0]]))
            assert same(shares, [0.5, 0.5]) and not same(of_x, [5.5] * 5)


POWERS = {
    "integer": lambda x: x**0,
    "float": lambda x: x**0.0,
    "tensor": lambda x: x ** tf.cast(0, x.dtype),
}


@pytest.mark.parametrize("place", COMMON, ids=str)
def test_zeroth_power(place):
    xs = filled([0, 2, -3], place.dtypes)
    if place in (EAGER, XLA_OUTSIDE):
        xs += [
            tf.zeros(shape, dtype)
            for dtype in place.dtypes
            for shape in ((), (1,), (3, 1))
        ]
    inputs = [tf.identity(x) for _ in POWERS for x in xs]

    def all_of(*tensors):
        rows = np.reshape(range(len(tensors)), [len(POWERS), -1])
        pairs = zip(POWERS.values(), rows)
        return [power(tensors[i]) for power, row in pairs for i in row]

    assert all(same(y, tf.ones_like(y)) for y in place.value(all_of, *inputs))
    gradients = place.gradients(all_of, *inputs)
    for x, gradient in zip(inputs, gradients):
        gradient = np.asarray(tf.cast(gradient, tf.float32))
        assert np.array_equal(np.isnan(gradient), tf.cast(x, tf.float32) == 0)
        with contrast("at every number"):
            assert not np.any(gradient[~np.isnan(gradient)])
    with contrast("only with a float power"):
        assert np.isnan(float(gradients[0][0]))
    with contrast("for every constant"):
        constant = place.gradient(lambda x: x**1 - x, xs[0][:1])
        assert same(constant, [0.0])


def largest(x, y, z):
    """The largest number of each of three vectors, in three forms."""
    return [tf.reduce_max(x), tf.math.top_k(y, 1).values, tf.sort(z)[-1]]


@pytest.mark.parametrize("place", MODES, ids=str)
@given(x=arrays((40,), st.integers(0, 2)))
def test_shares_of_ties(place, x):
    ties = np.flatnonzero(x == x.max())
    first, last = np.eye(40)[ties[0]], np.eye(40)[ties[-1]]
    equal = (x == x.max()) / len(ties)
    assert same(place.gradients(largest, x, x, x), [equal, first, last], 1e-6)
    for dtype in FLOATS if place is EAGER else []:
        ones = [tf.constant([0, 1, 1, 1, 1], dtype)] * 3
        shared, of_top_k, of_sort = place.gradients(largest, *ones)
        assert same(shared, [0.0, 0.25, 0.25, 0.25, 0.25])
        assert same(of_top_k, [0.0, 1.0, 0.0, 0.0, 0.0])
        assert same(of_sort, [0.0, 0.0, 0.0, 0.0, 1.0])
        with contrast("the other way round: top_k to the last, sort to the first"):
            assert of_top_k[-1] == 0 and of_sort[1] == 0
        with contrast("tf.reduce_max gives all of it to one"):
            assert tf.math.count_nonzero(shared) == 4
    if place is XLA:
        zeros = [tf.constant([-0.0, 0.0])] * 3
        with contrast("also among zeros of both signs"):
            assert same(place.gradients(largest, *zeros)[1], [0.0, 1.0])


def roots(x):
    """Multiply each root by 0, and by -2."""
    return [0 * tf.sqrt(x[0]), -2 * tf.sqrt(x[1]), x[2] * tf.sqrt(x[2])]


@pytest.mark.parametrize("place", COMMON, ids=str)
def test_root_times_zero(place):
    under_xla = place in (XLA, XLA_OUTSIDE)
    xs = [tf.zeros([3, 17], dtype) for dtype in (FLOATS if under_xla else place.dtypes)]
    for gradient in place.each(roots, xs):
        by_zero, by_two, by_x = tf.cast(gradient, tf.float32)
        assert same(by_zero, [np.nan if under_xla else 0.0] * 17)
        assert same(by_x, [np.nan if under_xla else 0.0] * 17)
        with contrast("any upstream gradient"):
            assert same(by_two, [-np.inf] * 17)
    with contrast("0 times the slope, which is infinite: NaN in all places"):
        assert np.isnan(0.0 * np.inf) and under_xla == bool(np.isnan(by_zero[0]))
