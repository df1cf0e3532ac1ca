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


@FLOAT
def test_upstream_kinds(dtype):
    received, points = [], []

    @tf.custom_gradient
    def square(x):
        def grad(upstream):
            if tf.executing_eagerly():
                points.append(x.numpy().ravel())
                received.append(upstream)
            return tf.convert_to_tensor(upstream) * 2 * x

        return x * x, grad

    for x in (tf.constant([1.3, -0.7], dtype), tf.constant([[0.5], [2.0]], dtype)):
        received.clear(), points.clear()
        assert not is_rejected(check, square, x)
        size = np.size(x)
        here = [len(p) == size and np.allclose(p, np.ravel(x)) for p in points]
        kinds = [upstream for upstream, is_here in zip(received, here) if is_here]
        slices = [isinstance(upstream, tf.IndexedSlices) for upstream in kinds]
        dense = [upstream for upstream in kinds if tf.is_tensor(upstream)]
        sizes = [float(tf.norm(tf.cast(upstream, tf.float64))) for upstream in dense]
        assert any(slices) and 0.0 in sizes
        magnitudes = {round(np.log10(size)) for size in sizes if size}
        assert len(magnitudes & {-1, 0, 1, 3}) == 4
        with contrast("only of magnitude 1"):
            assert max(sizes) > 100 and min(size for size in sizes if size) < 0.5
    received.clear()
    assert not is_rejected(check, square, tf.constant(1.3, dtype))
    with contrast("tf.IndexedSlices for a scalar, too"):
        assert not any(isinstance(each, tf.IndexedSlices) for each in received)


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


def bend(left, right, at_kink):
    """A function with two slopes, whose gradient function returns a value at 0."""

    @tf.custom_gradient
    def function(x):
        sides = tf.where(x > 0, tf.cast(right, x.dtype), tf.cast(left, x.dtype))
        slope = tf.where(x == 0, tf.cast(at_kink, x.dtype), sides)
        return x * sides, lambda upstream: upstream * slope

    return function


@pytest.mark.parametrize(
    "x, left, right",
    [
        ([0.0], 0, 1),
        ([0.0], 3, 1),
        ([0.0, 1.0, -1.0], -1, 1),
        ([0.0], 1, 1.1),
        ([0.0], 11, 10),
        ([0.0], -100, -110),
    ],
    ids=str,
)
def test_kink_range(x, left, right):
    def is_rejected_at(share, x=x, left=left, right=right):
        value = left + share * (right - left)
        return is_rejected(check, bend(left, right, value), tf.constant(x))

    assert not any(is_rejected_at(share) for share in (0, 0.25, 0.9, 1))
    assert is_rejected_at(-0.1) and is_rejected_at(1.1)
    with contrast("only the mean of the two slopes"):
        assert not is_rejected_at(0.9)
    with contrast("outside by a thousandth"):
        assert not is_rejected_at(-0.001) and not is_rejected_at(1.001)
    if right == 1.1:
        with contrast("however little the slopes differ"):
            assert not is_rejected_at(2, right=1.001)
            assert is_rejected_at(0, right=1.0001) or is_rejected_at(1, right=1.0001)


@FLOAT
def test_variables_read(dtype):
    def scaled(factor, trainable=True):
        w = tf.Variable([2.0, 3.0], dtype=dtype, trainable=trainable)

        @tf.custom_gradient
        def function(x):
            def grad(upstream, variables=()):
                product = tf.cast(upstream, dtype) * tf.cast(x, dtype)
                of_w = [factor * tf.reduce_sum(product, axis=0)]
                of_x = upstream * tf.cast(w, x.dtype)
                return (of_x, of_w) if variables else of_x

            return tf.cast(w, x.dtype) * x, grad

        return function

    x = tf.constant([[1.0, 3.0], [0.5, -2.0], [4.0, 1.5]], dtype)
    assert not is_rejected(check, scaled(1.0), x)
    assert is_rejected(check, scaled(1.01), x) and is_rejected(check, scaled(0.0), x)
    with contrast("variables with trainable=False, too"):
        assert not is_rejected(check, scaled(1.01, trainable=False), x)


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


@pytest.mark.parametrize("rows, inner, columns", [(1, 1, 1), (2, 3, 2), (1, 3, 4)])
def test_number_of_calls(rows, inner, columns):
    calls = []

    def product(A, B, offset):
        calls.append(A)
        return A @ B + offset

    A, B, offset = np.ones([rows, inner]), np.ones([inner, columns]), 1.0
    tf.test.compute_gradient(product, [A, B, tf.constant(offset, tf.float64)])
    input_elements, output_elements = A.size + B.size + 1, rows * columns
    assert len(calls) == 1 + 2 * input_elements + 3 * output_elements
    with contrast("once for each element of the output, whatever the inputs"):
        assert len(calls) > 1 + 2 * input_elements + output_elements
    with contrast("once for each element of each input"):
        calls.clear()
        tf.test.compute_gradient(lambda x: calls.append(x) or x[0], [np.ones(5)])
        assert len(calls) == 1 + 2 * 5 + 1
    with contrast("also if the output is empty"):
        calls.clear()
        tf.test.compute_gradient(lambda x: calls.append(x) or x[:0], [np.ones(5)])
        assert len(calls) == 1 + 2 * 5 + 1
