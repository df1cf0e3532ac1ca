"""The claims of docs/guide/test_in_ci.md."""

import contextlib
import functools
import random

import numpy as np
import pytest
import tensorflow as tf

from tests.harness import contrast
from tests.harness.results import is_rejected
from vjpcheck import check_custom_gradient, check_grads, pytest_plugin

X = tf.constant([1.3, -0.7], tf.float64)


def gradcheck(function, x, seed=0, **options):
    """Call what the fixture of this name calls, for a function of one input."""
    return pytest_plugin.check(seed, function, (x,), **options)


def set_seeds(seed):
    """Seed the global generators."""
    tf.random.set_seed(seed)
    np.random.seed(seed)
    random.seed(seed)


@pytest.fixture(autouse=True)
def every_call_counts(monkeypatch):
    """Keep the check from calling a function by a graph, which counts nothing."""
    monkeypatch.setattr("vjpcheck.function.GRAPH_AFTER", 10**9)


@contextlib.contextmanager
def watched():
    """Yield a function, and a list of its inputs and upstream gradients."""
    values = []

    @tf.custom_gradient
    def square(x):
        def grad(upstream):
            values.extend(getattr(upstream, "values", upstream).numpy().ravel())
            return 2 * x * upstream

        if not tf.executing_eagerly():
            return x * x, lambda upstream: 2 * x * upstream
        values.extend(x.numpy().ravel())
        return x * x, grad

    yield square, values


def test_same_seed():
    def tried(global_seed, **options):
        set_seeds(global_seed)
        with watched() as (square, values):
            gradcheck(square, X, **options)
        return values

    default, again, other = tried(1), tried(2), tried(1, seed=7)
    assert default == again == tried(3, seed=0) and tried(4, seed=7) == other
    assert len(default) > 50
    with contrast("whatever the seed is"):
        assert default != other


def noisy(draw):
    """The product of the input and random numbers, with the correct gradient."""

    @tf.custom_gradient
    def function(x):
        noise = tf.cast(draw(), x.dtype)
        return noise * x * x, lambda up: up * 2 * noise * x

    return function


def test_random_functions():
    # The fixture calls this function, and then takes seconds for a counterexample.
    def check(function, x):
        check_custom_gradient(function, (x,), graph=False)

    x, own = X[:1], tf.random.Generator.from_seed(1)
    for draw in (tf.random.normal, lambda shape: np.random.normal(size=shape)):
        assert not is_rejected(gradcheck, noisy(lambda draw=draw: draw([1])), x)
    assert not is_rejected(gradcheck, noisy(random.random), x)
    assert not is_rejected(gradcheck, noisy(lambda: own.normal([1])), x)
    unseeded = tf.random.Generator.from_non_deterministic_state
    assert is_rejected(check, noisy(lambda: unseeded().normal([1])), x)
    with contrast("it rejects every generator that is made in a call"):
        seeded = tf.random.Generator.from_seed
        assert not is_rejected(check, noisy(lambda: seeded(1).normal([1])), x)
    with contrast("it accepts any gradient, if tf.random.normal draws the numbers"):
        wrong = tf.custom_gradient(
            lambda x: (x * tf.random.normal([1], dtype=x.dtype), lambda up: 2 * up)
        )
        assert is_rejected(check, wrong, x)


def sine(factor):
    """The sine, with a gradient that is too large by a factor."""
    return tf.custom_gradient(lambda x: (tf.sin(x), lambda up: up * factor * tf.cos(x)))


reverse = functools.partial(check_grads, order=1, modes=["rev"])


@pytest.mark.parametrize("x", [[1.3, -0.7], [0.4], [[-2.0, 3.0, 0.1]]], ids=str)
def test_error_in_float32(x):
    wrong = sine(1.00005)
    assert not is_rejected(reverse, wrong, tf.constant(x, tf.float32))
    assert is_rejected(reverse, wrong, tf.constant(x, tf.float64))
    with contrast("wrong by any factor, such as 1.0005"):
        assert is_rejected(reverse, sine(1.0005), tf.constant(x, tf.float32))


@pytest.mark.parametrize("dtype", [tf.float16, tf.float32], ids=lambda d: d.name)
def test_float64_differences(dtype):
    def of_wide(offset):
        """A function whose values agree with its gradient only in float64."""

        @tf.custom_gradient
        def function(x):
            factor = 1 if x.dtype == tf.float64 else 2
            return factor * tf.sin(x + offset), lambda up: up * tf.cos(x + offset)

        return function

    x = tf.constant([1.25, -0.75], dtype)
    assert not is_rejected(reverse, of_wide(0.0), x)
    with contrast("in float32, like the gradient"):
        narrow = tf.custom_gradient(
            lambda x: (tf.sin(x), lambda up: up * 2 * tf.cos(x))
        )
        assert is_rejected(reverse, narrow, x)
    with contrast("in any case: this function accepts only the dtype of the input"):
        assert is_rejected(reverse, of_wide(tf.zeros([2], dtype)), x)


@tf.custom_gradient
def unit(x):
    """Each row divided by its length, as on the page."""
    length = tf.norm(x, axis=-1, keepdims=True)
    y = x / length

    def grad(upstream):
        along = tf.reduce_sum(upstream * y, axis=-1, keepdims=True)
        return (upstream - y * along) / length

    return y, grad


def test_few_calls():
    def number_of_calls(*shape):
        calls = []

        def counted(x):
            calls.append(x)
            return unit(x)

        x = tf.random.stateless_normal(shape, [1, 2], dtype=tf.float64)
        gradcheck(counted, x)
        return len(calls)

    many = number_of_calls(300, 100)
    assert 300 * 100 == 30_000 and many < 400
    with contrast("ten times as many calls as for a hundredth of the numbers"):
        assert many < 2 * number_of_calls(30, 10)
    with contrast("fewer than 100 times"):
        assert many > 100
