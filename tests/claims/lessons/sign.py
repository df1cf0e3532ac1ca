"""The claims of docs/lessons/sign.md."""

import numpy as np
import pytest
import tensorflow as tf

from tests.harness import (
    COMMON,
    COMPLEX,
    EAGER,
    FLOATS,
    VECTORIZED,
    contrast,
    gradients_in_fit,
    same,
)

PLACES = pytest.mark.parametrize("place", [*COMMON, *VECTORIZED], ids=str)
POINTS = [
    0.0,
    -0.0,
    np.nan,
    np.inf,
    -np.inf,
    -1e30,
    -3.0,
    -1e-30,
    1e-30,
    1.0,
    3.0,
    1e30,
]


def weighted_signs(*xs):
    """Add the signs, with several upstream gradients for the elements of each tensor."""
    weights = [1.0, -1e30, 1e-30, 0.0, np.nan, np.inf]
    return tf.add_n(
        [tf.reduce_sum(tf.sign(x) * tf.constant(weights, x.dtype)) for x in xs]
    )


@PLACES
def test_zero_everywhere(place):
    points, weights = np.array(POINTS)[:, np.newaxis], np.zeros(6)
    xs = [tf.constant(points + weights, tf.float32), tf.zeros([6])]
    assert same(place.gradients(weighted_signs, *xs), [tf.zeros_like(x) for x in xs])
    if place is not EAGER:
        return
    for dtype in FLOATS:
        for x in xs:
            gradient = place.gradient(weighted_signs, tf.cast(x, dtype))
            assert same(gradient, tf.zeros_like(x)) and gradient.dtype == dtype
    in_fit = gradients_in_fit(lambda x: 3.0 * tf.sign(x), POINTS)
    assert same(in_fit, [[0.0] * len(POINTS)])
    with contrast("the gradient of tf.sign is None, as that of tf.round"):
        assert EAGER.gradient(tf.sign, 2.5) is not None
        assert EAGER.gradient(tf.round, 2.5) is None
    with contrast("at every number: at a complex number it isn't 0"):
        for dtype in COMPLEX:
            assert abs(EAGER.gradient(tf.sign, tf.constant(1 + 1j, dtype))) > 0.1
    with contrast("NaN if the upstream gradient is NaN, as that of a product with 0"):
        assert np.isnan(EAGER.gradient(lambda x: np.nan * (0.0 * x), 2.0))


def signs(*xs):
    """Return the sign of each tensor."""
    return [tf.sign(x) for x in xs]


@PLACES
def test_zero_and_nan(place):
    points = [-0.0, 0.0, np.nan, -2.0, 2.0, np.inf, -np.inf]
    expected = [0.0, 0.0, np.nan, -1.0, 1.0, 1.0, -1.0]
    xs = [tf.constant(points, dtype) for dtype in place.dtypes]
    xs += [tf.constant(0.0), tf.constant(np.nan)]
    results = place.value(signs, *xs)
    assert same(results, [expected] * len(place.dtypes) + [0.0, np.nan])
    with contrast("0 at NaN"):
        assert np.isnan(results[0][2]) and np.isnan(results[-1])
    with contrast("−1 at 0 and at NaN, as tf.where(x > 0, 1, -1)"):
        assert same(tf.where(tf.constant(points[1:3]) > 0, 1, -1), [-1, -1])
        assert not same(results[0][1], -1) and not same(results[0][2], -1)
