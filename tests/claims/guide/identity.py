"""The claims of docs/guide/identity.md."""

import numpy as np
import pytest
import tensorflow as tf

from tests.harness import COMMON, EAGER, EVERYWHERE, INSIDE, MODES, XLA, contrast, same


def identity(change):
    """An identity whose gradient function returns ``change(upstream)``."""

    @tf.custom_gradient
    def unchanged(x):
        return tf.identity(x), lambda upstream: change(upstream)

    return unchanged


def by_norm(x):
    """Clip to the norm 2."""
    return tf.clip_by_norm(x, 2.0)


def by_value(x):
    """Clip each number to the range from -2 to 2."""
    return tf.clip_by_value(x, -2.0, 2.0)


def both(*tensors):
    """Clip each tensor by norm and by value."""
    return [(by_norm(x), by_value(x)) for x in tensors]


@pytest.mark.parametrize("place", MODES, ids=str)
def test_zeros_unchanged(place):
    shapes = [(), (3,), (2, 0), (2, 3)]
    zeros = [tf.zeros(shape, d) for shape in shapes for d in place.dtypes]

    def clipped(*tensors):
        limits = (0.001, 2.0, 1000.0)
        return [tf.clip_by_norm(x, limit) for limit in limits for x in tensors]

    assert same(place.value(clipped, *zeros), zeros * 3)
    with contrast("for the limit 0, too"):
        values = place.value(lambda x: tf.clip_by_norm(x, 0.0), tf.zeros([3]))
        assert np.isnan(values).all()
    with contrast("turns them into NaN, as the formula does"):
        assert np.isnan(0.0 * (2.0 / tf.norm(zeros[0])))
    with contrast("returns any tensor unchanged"):
        assert same(by_norm(tf.constant([30.0, 40.0])), [1.2, 1.6], 1e-6)


LARGE = {tf.float16: 300.0, tf.float64: 1e200}
LARGEST = {tf.float16: 4e4, tf.float32: 2e38, tf.float64: 1e308, tf.bfloat16: 3e38}


@pytest.mark.parametrize("place", MODES, ids=str)
def test_overflowing_squares(place):
    finite = [
        tf.constant([sign * LARGE.get(d, 1e30), 0.5, 0.0], d)
        for d in place.dtypes
        for sign in (1, -1)
    ]
    infinite = [tf.constant([np.inf, 0.5, -np.inf], d) for d in place.dtypes]
    largest = [tf.constant([[LARGEST[d]], [0.5]], d) for d in place.dtypes]
    values = iter(place.value(both, *finite, *infinite, *largest))
    for x, (norm, value) in zip(finite, values):
        assert np.isfinite(tf.cast(x, tf.float64)).all()
        assert same(norm, [0.0, 0.0, 0.0])
        assert same(value, [2.0 * np.sign(float(x[0])), 0.5, 0.0])
        with contrast("a tensor of the norm 2, as for smaller numbers"):
            assert tf.norm(norm) == 0 and tf.norm(by_norm([30.0, 40.0])) == 2
    for _, (norm, value) in zip(infinite, values):
        assert same(norm, [np.nan, 0.0, np.nan])
        assert same(value, [2.0, 0.5, -2.0])
        with contrast("turns all numbers into NaN"):
            assert norm[1] == 0
    for _, (norm, value) in zip(largest, values):
        with contrast("even if a product with the limit overflows: 2e38 becomes NaN"):
            assert same(norm, [[np.nan], [0.0]]) and same(value, [[2.0], [0.5]])


@pytest.mark.parametrize("factor", [-1.0, 0.5])
@pytest.mark.parametrize("place", COMMON, ids=str)
def test_factor_squared(place, factor):
    scaled = identity(lambda upstream: factor * upstream)

    def cube(x):
        return scaled(x) ** 3

    derivative = place.derivative(cube, 2.0)
    assert same(derivative, factor**2 * 6 * 2)
    with contrast("the factor itself, as the first derivative does"):
        assert not same(derivative, factor * 6 * 2)
        if place in MODES:
            assert same(place.derivative(cube, 2.0, order=1), factor * 3 * 2**2)
    if place in MODES:
        with contrast("also if the loss uses the input elsewhere"):
            product = place.derivative(lambda x: x * scaled(x), 2.0)
            assert same(product, factor * 2)


def loss_of_rows(y):
    """Read the row 0 three times and the row 1 once."""
    return tf.reduce_sum(tf.gather(y, [0, 1, 0, 0]) * [[1.5], [0.5], [1.0], [1.0]])


def loss_of_rows_and_all(y):
    """Read rows, and use the tensor in another way, so that upstream is a tensor."""
    return loss_of_rows(y) + 0 * tf.reduce_sum(y)


def both_losses(rule):
    """A function of two tensors, which ``rule`` clips, one for each loss."""
    return lambda x, y: loss_of_rows(rule(x)) + loss_of_rows_and_all(rule(y))


@pytest.mark.parametrize("place", EVERYWHERE, ids=str)
def test_sum_of_slices(place):
    kinds = set()

    def added(upstream):
        kinds.add(type(upstream))
        return by_value(tf.convert_to_tensor(upstream))

    inputs = tf.zeros([3, 2]), tf.zeros([3, 2])
    gradients = place.gradients(both_losses(identity(added)), *inputs)
    assert same(gradients, [[[2.0, 2.0], [0.5, 0.5], [0.0, 0.0]]] * 2)
    if place in (EAGER, INSIDE, XLA):
        assert len(kinds) == 2 and tf.IndexedSlices in kinds
        sparse, dense = place.gradients(both_losses(identity(by_value)), *inputs)
        with contrast("also if `grad` clips `upstream` itself"):
            assert same(tf.convert_to_tensor(sparse)[0], [3.5, 3.5])
            assert same(dense[0], [2.0, 2.0])
