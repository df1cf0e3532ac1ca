"""The claims of docs/guide/vjp.md."""

import pytest
import tensorflow as tf
from hypothesis import given
from hypothesis import strategies as st

from tests.harness import COMMON, EAGER, FLOATS, contrast, numbers, raised, same

X = tf.constant([1.0, 2.0, 3.0])
PERSISTENT = pytest.mark.parametrize("is_persistent", [False, True])


def pulled(function, x, row, is_persistent=False):
    """Return the gradient of function(x), with ``row`` as output_gradients."""
    with tf.GradientTape(persistent=is_persistent) as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x, output_gradients=row)


def jacobian(function, x, **options):
    """Return the Jacobian that tape.jacobian computes."""
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = function(x)
    return tape.jacobian(y, x, **options)


def noting(calls):
    """The identity, whose gradient function notes and returns its upstream gradient."""

    @tf.custom_gradient
    def step(x):
        return tf.identity(x), lambda upstream: calls.append(upstream) or upstream

    return step


def weighted(x):
    """k x² for the element number k, so that the derivative at 0.5 is k."""
    weights = tf.reshape(tf.range(1, tf.size(x) + 1), tf.shape(x))
    return x * x * tf.cast(weights, x.dtype)


@pytest.mark.parametrize("place", COMMON, ids=str)
def test_not_a_scalar(place):
    xs = [tf.fill([3], tf.constant(0.5, dtype)) for dtype in place.dtypes]
    xs += [tf.fill([2, 1, 3], 0.5), tf.zeros([0, 2])]
    of_sum = [EAGER.gradient(weighted, x, tf.reduce_sum) for x in xs]
    gradients = place.each(weighted, xs)
    assert same(gradients, of_sum) and same(gradients[0], [1.0, 2.0, 3.0])
    with contrast("differentiates the mean of the elements"):
        assert not same(gradients[0], [1 / 3, 2 / 3, 1.0], 1e-2)
    with contrast("returns the Jacobian, with one row for each element"):
        assert gradients[0].shape == [3]


@pytest.mark.parametrize("dtype, size", [*zip(FLOATS, [1, 2, 40, 3])])
def test_one_call(dtype, size):
    first, second, aside = [], [], []
    x = tf.ones([size], dtype)

    def chain(x):
        u = noting(first)(x)
        noting(aside)(u)
        return noting(second)(2 * u)

    assert same(jacobian(chain, x), 2 * tf.eye(size, dtype=dtype))
    assert len(first) == len(second) == 1
    with contrast("of each recorded step, also if it doesn't lead to the target"):
        assert not aside
    with contrast("of each step that leads to the target, also behind a None"):
        blocks = tf.custom_gradient(lambda x: (2.0 * x, lambda upstream: None))
        assert jacobian(lambda x: blocks(noting(aside)(x)), x) is None and not aside
    with contrast("with an eager tensor"):
        assert not hasattr(first[0], "numpy") and not hasattr(second[0], "numpy")
    with contrast("by default or not: without pfor, once for each row"):
        first.clear()
        jacobian(noting(first), x, experimental_use_pfor=False)
        assert len(first) == size
    with contrast("also outside a tf.function"):
        first.clear()
        jacobian(tf.function(noting(first)), x)
        assert len(first) > 1


@PERSISTENT
@pytest.mark.parametrize("shape", [(), (1,), (3, 3), (1, 3), (4,), (0,), (2, 3, 3)])
@pytest.mark.parametrize("size", [1, 3])
def test_no_shape_check(size, shape, is_persistent):
    upstream, x = [], tf.ones([size])
    row = 2 * tf.ones(shape)
    gradient = pulled(noting(upstream), x, row, is_persistent)
    assert same(upstream, [row]) and same(gradient, row)
    with contrast("and broadcasts it to that shape"):
        assert upstream[0].shape == gradient.shape == shape
    with contrast("also nested, where another shape raises an error"):
        nested = tf.function(lambda x: pulled(tf.function(tf.sin), x, row))
        assert isinstance(raised(nested, x), ValueError) == (shape != x.shape)


@PERSISTENT
@pytest.mark.parametrize("kind", [list, tuple])
@pytest.mark.parametrize("shape", [(), (3,)])
@given(values=st.lists(numbers(-9, 9), min_size=1, max_size=4))
def test_first_of_a_list(shape, kind, is_persistent, values):
    upstream, x = [], tf.ones(shape)
    gradient = pulled(noting(upstream), x, kind(values), is_persistent)
    assert same(upstream, [values[0]]) and same(gradient, values[0])
    with contrast("the last number, or the sum of all"):
        pulled(noting(upstream), x, kind([5.0, *values]))
        assert same(upstream[1], 5.0)
    with contrast("also of a list of tensors: the list [row] is right"):
        row = tf.fill(shape, 7.0)
        pulled(noting(upstream), x, kind([row, *values]))
        assert same(upstream[2], row)
    with contrast("also of a tensor, which is one row"):
        row = tf.constant([5.0, 7.0, 9.0])
        assert same(pulled(tf.square, X, row), 2 * X * row)
