"""The claims of docs/guide/choices.md."""

import pytest
import tensorflow as tf
from hypothesis import given
from hypothesis import strategies as st

from tests.harness import COMMON, contrast, same

UPSTREAM = [1, 2, 4, 8, 16]
"""The upstream gradients of five sorted elements."""


def sorted_and_largest(x, y):
    """Sort a vector, weight it, and add the largest element of another one."""
    weights = tf.constant(UPSTREAM, x.dtype)
    return [weights * tf.sort(x), 3 * tf.reduce_max(y)]


def of_dtypes(*xs):
    """Apply the function to pairs of vectors."""
    pairs = zip(xs[::2], xs[1::2])
    return [output for pair in pairs for output in sorted_and_largest(*pair)]


@pytest.mark.parametrize("place", COMMON, ids=str)
@given(x=st.permutations([-4.0, -0.5, 0.0, 1.5, 300.0]))
def test_returned_elements(place, x):
    xs = [tf.constant(x, dtype) for dtype in place.dtypes for _ in range(2)]
    gradients = place.gradients(of_dtypes, *xs)
    rank = [sorted(x).index(element) for element in x]
    for of_sort, of_max in zip(gradients[::2], gradients[1::2]):
        assert same(of_sort, [UPSTREAM[at] for at in rank])
        assert same(of_max, [3.0 * (element == 300) for element in x])
        with contrast("to the elements in the order of the input"):
            assert (x == sorted(x)) == same(of_sort, UPSTREAM)
        with contrast("to all elements"):
            assert tf.math.count_nonzero(of_max) == 1
    returned = tf.concat([tf.sort(xs[0]), [tf.reduce_max(xs[0])]], 0)
    assert same(returned, [*sorted(x), 300.0])
