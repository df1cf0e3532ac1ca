"""The claims of docs/lessons/several_outputs.md."""

import pytest
import tensorflow as tf

from tests.harness import (
    COMMON,
    EAGER,
    FLOATS,
    INSIDE,
    OUTSIDE,
    VECTORIZED,
    contrast,
    gradients_in_fit,
    raised,
    same,
)


def returning(results):
    """Return a decorated function with the outputs and ``grad`` of x and x²."""

    @tf.custom_gradient
    def both(x):
        return results(x, x * x, lambda up_first, up_second: up_first + up_second)

    return both


@pytest.mark.parametrize("place", [*COMMON, *VECTORIZED], ids=str)
def test_three_returned(place):
    three = returning(lambda z, w, grad: (z, w, grad))
    error = raised(place.value, three, 2.0)
    assert isinstance(error, ValueError)
    assert "too many values to unpack (expected 2)" in str(error)
    with contrast("when you compute a gradient: without a tape, the call raises, too"):
        error = raised(three, tf.constant(2.0))
        assert isinstance(error, ValueError)
        assert "too many values to unpack (expected 2)" in str(error)
    with contrast("a function that returns (z, w), grad raises it"):
        two = returning(lambda z, w, grad: ((z, w), grad))
        assert same(two(tf.constant(3.0)), [3.0, 9.0])


def weighted(structure):
    """Define a function with three outputs, whose ``grad`` counts its arguments.

    Args:
        structure: makes the structure of the outputs of a list.
    """
    counts = []

    @tf.custom_gradient
    def three_outputs(x):
        x = tf.identity(x)  # else, a branch raises

        def grad(*upstreams):
            counts.append(len(upstreams))
            first, second, third = upstreams
            return first + 10 * second + 100 * third

        return structure([x, x * x, tf.identity(x)]), grad

    def loss(x):  # uses the last output first
        first, second, third = tf.nest.flatten(three_outputs(x))
        return 4 * third + 2 * second + 3 * first

    return loss, counts


@pytest.mark.parametrize("place", COMMON, ids=str)
def test_separate_arguments(place):
    loss, counts = weighted(tuple)
    assert same(place.gradient(loss, 2.0), 3.0 + 10 * 2.0 + 100 * 4.0)
    assert set(counts) == {3}
    if place is not EAGER:
        return
    for dtype in FLOATS:
        assert same(place.gradient(loss, tf.constant(2, dtype)), 423.0, 1e-2)
    assert same(gradients_in_fit(loss, 2.0), [423.0])
    for structure in list, lambda outputs: (outputs[0], (outputs[1:],)):
        loss, counts = weighted(structure)
        for other in EAGER, OUTSIDE, INSIDE:
            assert same(other.gradient(loss, 2.0), 423.0)
        assert set(counts) == {3}
    with contrast("as one tuple: a grad with one parameter raises a TypeError"):
        one = tf.custom_gradient(lambda x: ((x, x * x), lambda upstreams: upstreams[0]))
        for other in EAGER, INSIDE, OUTSIDE:
            error = raised(other.gradient, lambda x: sum(one(x)), 2.0)
            assert isinstance(error, TypeError) and "2 were given" in str(error)
    with contrast("by keyword: the names of the parameters don't matter"):

        @tf.custom_gradient
        def named(x):
            z, w = x, x * x
            return (z, w), lambda upstream_w, upstream_z: 10 * upstream_z + upstream_w

        assert same(EAGER.gradient(lambda x: named(x)[1], 2.0), 10.0)
