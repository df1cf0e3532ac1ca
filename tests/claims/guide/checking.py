"""The claims of docs/guide/checking.md."""

import numpy as np
import pytest
import tensorflow as tf

from tests.harness import contrast, program, same
from tests.harness.results import is_rejected
from vjpcheck import check_custom_gradient

FLOAT = pytest.mark.parametrize(
    "dtype", [tf.float32, tf.float64], ids=lambda dtype: dtype.name
)


def check(function, x):
    """Call the checker of the page."""
    return check_custom_gradient(function, (x,))


def log(factor=1.0):
    """The logarithm, with a gradient that is too large by a factor."""
    return tf.custom_gradient(lambda x: (tf.math.log(x), lambda up: factor * up / x))


def test_helper_scale():
    check_gradient = program("guide/checking/checking.py").check_gradient

    def rejections(function, at, seeds):
        return sum(is_rejected(check_gradient, function, [at], seed=s) for s in seeds)

    tiny = tf.custom_gradient(lambda x: (1e-10 * x, lambda up: up * 2.5 * 1e-10))
    assert 5 < rejections(log(), 0.001, range(10)) <= 10
    assert not rejections(tiny, 1.0, range(4)) and not rejections(tiny, -0.3, range(4))
    with contrast("at 1 or with a derivative of 1, as well"):
        scaled = log()
        assert not rejections(lambda x: scaled(0.001 * x), 1.0, range(3))
        assert rejections(lambda x: 1e10 * tiny(x), 1.0, range(3)) == 3


@pytest.mark.parametrize("x", [1e-30, 1e-6, 0.001, 1.0, 1e6, 1e20])
def test_any_magnitude(x):
    percent = 0.001
    here = tf.constant([x, 3 * x], tf.float64)
    assert not is_rejected(check, log(), here)
    assert is_rejected(check, log(1 + percent / 100), here)
    with contrast("it accepts every gradient of such a function"):
        assert is_rejected(check, log(0.0), here)
    with contrast("too large by any amount, even by a millionth of a percent"):
        assert not is_rejected(check, log(1 + 1e-8), here)


@pytest.mark.parametrize("end", [-1, 0], ids=["last in", "first in"])
def test_shared_list(end):
    def square(is_shared):
        kept = []

        @tf.custom_gradient
        def function(x):
            kept.append(x)
            return x * x, lambda up: 2 * up * (kept.pop(end) if is_shared else x)

        return function

    for x in (tf.constant([1.3, -0.7]), tf.constant(2.0)):
        assert is_rejected(check, square(is_shared=True), x)
        with contrast("also one that appends its input, and doesn't pop it"):
            assert not is_rejected(check, square(is_shared=False), x)


@FLOAT
@pytest.mark.parametrize("shape", [(), (3,), (2, 2)], ids=str)
def test_single_ones(shape, dtype):
    received = []

    @tf.custom_gradient
    def cube(x):
        def grad(upstream):
            received.append(upstream.numpy().ravel())
            return upstream * 3 * x * x

        return x**3, grad

    x = tf.constant(np.linspace(1, 2, int(np.prod(shape))).reshape(shape), dtype)
    tf.test.compute_gradient(cube, [x])
    elements = int(tf.size(x))
    assert same(sorted(map(list, received))[::-1], np.eye(elements).tolist())
    with contrast("ones"):
        assert elements == 1 or not any(np.all(upstream) for upstream in received)
    with contrast("random numbers"):
        assert np.isin(received, [0, 1]).all()
