"""The claims of docs/guide/straight_through.md."""

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given

from tests.harness import (
    EVERYWHERE,
    FLOATS,
    VECTORIZED,
    arrays,
    contrast,
    numbers,
    same,
)


@tf.custom_gradient
def custom(x):
    """Round, straight through."""
    return tf.round(x), lambda upstream: upstream


def stopped(x):
    """Round by the stop-gradient trick."""
    return x + tf.stop_gradient(tf.round(x) - x)


PASSED = tf.grad_pass_through(tf.round)


def all_forms(x, y, z):
    """Round three tensors, each by another form, and keep the roundings."""
    return [custom(x), stopped(y), PASSED(z)]


def weighted_forms(x, y, z):
    """Weight the roundings, so that the upstream gradient is 0.75, not 1."""
    return [0.75 * rounded for rounded in all_forms(x, y, z)]


def same_values(x):
    """Whether the three forms return the rounded tensor."""
    return same(all_forms(x, x, x), [tf.round(x)] * 3)


@pytest.mark.parametrize("place", [*EVERYWHERE, *VECTORIZED], ids=str)
@given(
    x=arrays((6,), numbers(around=[0.5, 1.5, -2.5, 2.0**22 + 0.5, 2.0**23, 2.0**24]))
)
def test_three_forms(place, x):
    for dtype in FLOATS:
        converted = tf.cast(x, dtype)
        assert same_values(tf.boolean_mask(converted, tf.math.is_finite(converted)))
    values = place.value(all_forms, x, x, x)
    assert same(values, [np.round(x)] * 3)
    gradients = place.gradients(weighted_forms, x, x, x)
    if place in VECTORIZED:
        with contrast("within tf.vectorized_map, too"):
            assert same(gradients, [[0.0] * 6, [0.75] * 6, [0.0] * 6])
        return
    assert same(gradients, [[0.75] * 6] * 3)
    with contrast("also for infinite inputs"):
        infinite = tf.constant([np.inf])
        assert same(all_forms(*[infinite] * 3), [[np.inf], [np.nan], [np.inf]])
    with contrast("whatever function stands in place of `tf.round`"):
        large = tf.constant(1e8)
        assert large + tf.stop_gradient(tf.sign(large) - large) == 0
