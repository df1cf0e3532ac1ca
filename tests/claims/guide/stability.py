"""The claims of docs/guide/stability.md."""

import numpy as np
import pytest
import tensorflow as tf

from tests.harness import (
    COMMON,
    COMPLEX,
    EAGER,
    EVERYWHERE,
    FLOATS,
    GRAPHS,
    INSIDE,
    UNKNOWN,
    VECTORIZED,
    XLA,
    XLA_OUTSIDE,
    contrast,
    program,
    same,
)

NAN, INF = float("nan"), float("inf")


def log1pexp(x):
    """The formula as written."""
    return tf.math.log(1.0 + tf.exp(x))


@pytest.mark.parametrize("place", [*EVERYWHERE, *VECTORIZED], ids=str)
def test_zero_or_nan(place):
    x = tf.constant([88.0, 89.0, 100.0, 1e30, INF, 87.0, 20.0])
    gradient = place.gradient(log1pexp, x)
    assert same(gradient[:5], [0.0, NAN, NAN, NAN, NAN])
    with contrast("also at smaller x, such as 87 or 20"):
        assert same(gradient[5:], [1.0, 1.0], 1e-4)
    with contrast("also in float64"):
        wide = tf.constant([88.0, 89.0, 700.0], tf.float64)
        assert same(EAGER.gradient(log1pexp, wide), [1.0] * 3, 1e-9)
    with contrast("that of tf.nn.softplus, too"):
        assert same(EAGER.gradient(tf.nn.softplus, x[:4]), [1.0] * 4)


@pytest.mark.parametrize("place", COMMON, ids=str)
def test_rounds_to_one(place):
    xs = [tf.cast(tf.linspace(0.0, 40.0, 81), dtype) for dtype in place.dtypes]
    xs.append(tf.constant([INF, 88.0, 1e30]))
    for x, gradient in zip(xs, place.each(tf.sigmoid, xs)):
        is_one = tf.sigmoid(x) == 1
        assert tf.reduce_any(is_one) and not tf.reduce_any(gradient[is_one] != 0)
        with contrast("everywhere at large x, also where the sigmoid is below 1"):
            assert not tf.reduce_any(gradient[~is_one] == 0)
    with contrast("at the other end, where it rounds to 0"):
        assert same(place.gradient(tf.sigmoid, [-20.0]), [2.06115362e-9], 1e-5)


@pytest.mark.parametrize("place", COMMON, ids=str)
def test_norm_at_zero(place):
    zeros = [tf.zeros([3], dtype) for dtype in place.dtypes] + [tf.zeros([1])]
    for x, gradient in zip(zeros, place.each(tf.norm, zeros)):
        assert same(gradient, [NAN] * len(x))
    with contrast("if any element is 0"):
        assert same(place.gradient(tf.norm, [0.0, 5.0, 0.0]), [0.0, 1.0, 0.0])
    with contrast("infinite, or the zero vector that a custom gradient returns"):
        norm = program("guide/stability/norm.py").norm
        assert same(EAGER.gradient(norm, zeros[0]), [0.0] * 3)


@pytest.mark.parametrize("place", COMMON, ids=str)
def test_divide_no_nan(place):
    dtypes = [*place.dtypes, COMPLEX[0]]
    pairs = []
    for dtype in dtypes:
        pairs.append(tf.cast([-7.0, 0.0, 1e30, INF, NAN], dtype))
        pairs.append(tf.cast([0.0, -0.0, 0.0, -0.0, 0.0], dtype))

    def quotients(*pairs):
        numerators, divisors = pairs[::2], pairs[1::2]
        return [
            3 * tf.math.real(tf.math.divide_no_nan(x, y))
            for x, y in zip(numerators, divisors)
        ]

    zeros = [tf.zeros([5])] * len(pairs)
    assert same(quotients(*pairs), [tf.zeros([5])] * len(dtypes))
    assert same(place.gradients(quotients, *pairs), zeros)
    two = [tf.constant([6.0, 0.0]), tf.constant([2.0, 0.0])]
    with contrast("whatever the upstream gradient is"):
        infinite = lambda x, y: INF * tf.math.divide_no_nan(x, y)
        assert np.isnan(place.gradients(infinite, *two)[1][1])
    with contrast("also where the divisor isn't 0"):
        gradients = EAGER.gradients(tf.math.divide_no_nan, *two)
        assert same(gradients, [[0.5, 0.0], [-1.5, 0.0]])


@pytest.mark.parametrize("place", [EAGER, *GRAPHS, *UNKNOWN], ids=str)
@pytest.mark.parametrize("dtype", FLOATS, ids=lambda dtype: dtype.name)
def test_rewritten(dtype, place):
    def expressions(*xs):
        return [(tf.exp(x) - 1.0, tf.math.log(1.0 + x)) for x in xs]

    small = 1e-6 if dtype == tf.float16 else 1e-20
    xs = [tf.fill(shape, tf.cast(small, dtype)) for shape in [(), (3,), (1, 2, 1)]]
    knows_rank = place in GRAPHS or "batch" in place.name
    is_rewritten = knows_rank and place not in (XLA, XLA_OUTSIDE)
    if place.name.startswith("unknown"):
        xs = xs[1:]  # a scalar has no batch
    kept = [(x, x) if is_rewritten else (0 * x, 0 * x) for x in xs]
    assert same(place.value(expressions, *xs), kept)
    with contrast("in eager mode and under XLA, too, and if the rank is unknown"):
        lost = [EAGER.value(expressions, xs[0]), XLA.value(expressions, xs[0])]
        assert same(lost, [[[0 * xs[0]] * 2]] * 2)
    with contrast("and replaces every way to write them, such as -1.0 + tf.exp(x)"):
        assert same(place.value(lambda x: -1.0 + tf.exp(x), xs[0]), 0 * xs[0])


@pytest.mark.parametrize("weight", [0.0, -3.0])
@pytest.mark.parametrize("place", COMMON, ids=str)
def test_masked(place, weight):
    x = tf.constant([[-INF, -INF, -INF], [-INF, 0.0, 5.0]])

    def last_axis(x):
        return tf.constant([weight, 1.0], x.dtype) * tf.reduce_logsumexp(x, 1)

    inputs = [tf.cast(x, dtype) for dtype in place.dtypes]
    for gradient in place.each(last_axis, inputs):
        assert same(gradient[0], [NAN] * 3)
        with contrast("also in a row with some element that isn't infinite"):
            assert same(gradient[1], tf.nn.softmax(x[1]), 2e-2)
    with contrast("of any log of the sum: the custom gradient is 0"):
        logsumexp = program("guide/stability/logsumexp.py").logsumexp
        assert same(EAGER.gradient(logsumexp, x)[0], [0.0] * 3)


@tf.custom_gradient
def marked(x):
    """The square root, whose gradient function adds 7 to its upstream gradient."""
    x = tf.identity(x)  # else, a branch raises
    return tf.sqrt(x), lambda upstream: upstream + 7


@pytest.mark.parametrize("place", COMMON, ids=str)
def test_unused_branch(place):
    def first_branch(x):
        return 3 * tf.where(x > 0, marked(x), tf.zeros_like(x))

    def second_branch(x):
        return 3 * tf.where(x > 0, x, marked(x))

    xs = [tf.constant([-4.0, 0.0, 9.0], dtype) for dtype in place.dtypes]
    assert same(place.each(first_branch, xs), [[7.0, 7.0, 10.0]] * len(xs))
    assert same(place.each(second_branch, xs), [[10.0, 10.0, 10.0]] * len(xs))
    with contrast("with the upstream gradient of the result, which is 3"):
        assert place.gradient(first_branch, [-4.0])[0] != 10
    with contrast("also where tf.cond doesn't use a branch"):
        only_one = lambda x: tf.cond(x > 0, lambda: marked(x), lambda: x * 5)
        assert same(EAGER.gradient(only_one, -4.0), 5.0)
        assert same(INSIDE.gradient(only_one, -4.0), 5.0)
