"""The claims of docs/guide/stop_gradient.md."""

import numpy as np
import pytest
import tensorflow as tf

from tests.harness import (
    COMMON,
    EAGER,
    FORWARDS,
    NESTED,
    OUTSIDE,
    contrast,
    derivative,
    same,
)

stop = tf.stop_gradient
X = tf.constant([-2.5, -1e-3, 0.0, 0.5, 1.0])


def short(y, s):
    """The short form of the trick."""
    return s + stop(y - s)


def exact(y, s):
    """The form of the trick that doesn't round."""
    return stop(y) + (s - stop(s))


def surrogates(x):
    """Stack three smooth functions, each of them three times."""
    return tf.stack([tf.tanh(x), x * x * x, x * tf.sigmoid(x)] * 3)


def tricks(x):
    """Give each surrogate a value that is flat, steep, and doesn't depend on x."""
    values = [tf.sign(x)] * 3 + [7 * x] * 3 + [9 * tf.ones_like(x)] * 3
    return short(tf.stack(values), surrogates(x))


@pytest.mark.parametrize("place", [*COMMON, *FORWARDS], ids=str)
def test_derivatives_of_s(place):
    def of_sine(x):
        return short(7 * x, tf.sin(x))

    def all_orders(a, b, c):
        return [tricks(a), derivative(tricks)(b), of_sine(c)]

    first = EAGER.gradient(surrogates, X)
    second = EAGER.gradient(derivative(surrogates), X)
    if place in FORWARDS:
        jvp, sine = place.jvp(tricks, X), place.jvp(of_sine, X)
        assert same(tf.reduce_sum(jvp, 0), first, 1e-5)
    else:
        of_first, of_second, sine = place.gradients(all_orders, X, X, X)
        assert same(of_first, first, 1e-5) and same(of_second, second, 1e-4)
    if place in (OUTSIDE, NESTED):
        assert same(place.derivative(tricks, X), second, 1e-4)
    with contrast("those of y"):
        assert same(sine, tf.cos(X), 1e-5) and not same(sine, [7.0] * 5, 0.5)


def spread(dtype):
    """Draw finite numbers of many magnitudes and both signs, with ties."""
    rng = np.random.default_rng(0)
    random = rng.normal(size=500) * 10.0 ** rng.integers(-30, 31, 500)
    ties = [*np.arange(-20, 21) / 2, 2047.5, 1e-3, -1e-3]
    x = tf.cast([*random, *ties], dtype)
    return tf.boolean_mask(x, tf.math.is_finite(x))


@pytest.mark.parametrize("place", COMMON, ids=str)
def test_round_is_exact(place):
    def both(*xs):
        return [[short(f(x), x) for x in xs] for f in (tf.round, tf.sign)]

    xs = [spread(dtype) for dtype in place.dtypes]
    xs.append(tf.constant([np.inf, -np.inf]))
    rounded, sign = place.value(both, *xs)
    assert same(rounded[:-1], [tf.round(x) for x in xs[:-1]])
    with contrast("for any function in place of tf.round"):
        assert not same(sign[0], tf.sign(xs[0]), 0.1)
    with contrast("also of an infinite x"):
        assert np.isnan(rounded[-1]).all()


@pytest.mark.parametrize("place", COMMON, ids=str)
def test_exact_form(place):
    def both(*xs):
        return [[form(x[::-1], x) for x in xs] for form in (exact, short)]

    xs = [spread(dtype) for dtype in place.dtypes]
    by_exact, by_short = place.value(both, *xs)
    for z, x in zip(by_exact, xs):
        z, y = tf.cast(z, tf.float64).numpy(), tf.cast(x[::-1], tf.float64).numpy()
        is_subnormal = np.abs(y) < float(np.finfo(np.float32).tiny)
        if x.dtype in (tf.float16, tf.float64):
            is_subnormal = np.abs(y) < np.finfo(x.dtype.as_numpy_dtype).tiny
        assert (z == y)[~is_subnormal].all()
        assert ((z == y) | (z == 0))[is_subnormal].all()
    with contrast("s + tf.stop_gradient(y - s) equals y, too"):
        assert not any(same(z, x[::-1], 1e-2) for z, x in zip(by_short, xs))
    with contrast("also if y is subnormal"):
        tiny = tf.constant([1e-40])
        assert (place.value(lambda y: exact(y, y + 1.0), tiny).numpy() == 0).all()


@pytest.mark.parametrize("place", COMMON, ids=str)
def test_finite_surrogate(place):
    def both(*xs):  # of the surrogates inf, -inf and NaN
        return [[form(tf.sign(x), x / 0) for form in (short, exact)] for x in xs]

    def of_root(x):
        root = tf.sqrt(x)
        return short(x, root), exact(x, root)

    xs = [tf.constant([1.0, -2.0, 0.0], dtype) for dtype in place.dtypes]
    assert same(place.value(both, *xs), [[[np.nan] * 3] * 2] * len(xs))
    with contrast("also if only its derivative is infinite, as that of a square root"):
        zero = [0.0]
        assert same(place.value(of_root, zero), [zero] * 2)
