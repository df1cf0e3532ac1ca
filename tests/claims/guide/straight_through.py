"""The claims of docs/guide/straight_through.md."""

import numpy as np
import pytest
import tensorflow as tf

from tests.harness import EAGER, EVERYWHERE, FLOATS, VECTORIZED, contrast, same


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


def finite_numbers(dtype):
    """List halves, integers, powers of two and their neighbors, and random numbers."""
    powers = 2.0 ** np.arange(-30, 127)
    numbers = [np.arange(-50, 50) / 4, powers, np.nextafter(powers, 0), powers + 0.5]
    numbers += [np.random.default_rng(0).standard_normal(500) * 100]
    x = np.concatenate([sign * part for part in numbers for sign in (1, -1)])
    x = tf.cast(x, dtype)
    return tf.boolean_mask(x, tf.math.is_finite(x))


@pytest.mark.parametrize("place", [*EVERYWHERE, *VECTORIZED], ids=str)
def test_three_forms(place):
    x = finite_numbers(tf.float32)
    assert same(place.value(all_forms, x, x, x), [tf.round(x)] * 3)
    gradients = place.gradients(weighted_forms, x, x, x)
    kept, lost = 0.75 * tf.ones_like(x), tf.zeros_like(x)
    if place in VECTORIZED:
        with contrast("within tf.vectorized_map, too"):
            assert same(gradients, [lost, kept, lost])
        return
    assert same(gradients, [kept] * 3)
    for dtype in FLOATS if place is EAGER else []:
        x = finite_numbers(dtype)
        assert len(x) > 200 and same(all_forms(x, x, x), [tf.round(x)] * 3)
        gradients = place.gradients(weighted_forms, x, x, x)
        assert same(gradients, [0.75 * tf.ones_like(x)] * 3)
    with contrast("also for infinite inputs"):
        infinite = tf.constant([np.inf])
        assert same(all_forms(*[infinite] * 3), [[np.inf], [np.nan], [np.inf]])
    with contrast("whatever function stands in place of `tf.round`"):
        large = tf.constant(1e8)
        assert large + tf.stop_gradient(tf.sign(large) - large) == 0
