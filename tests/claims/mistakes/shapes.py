"""The claims of docs/mistakes/shapes.md."""

import pytest
import tensorflow as tf

from tests.harness import (
    ALL_OUTSIDE,
    COMMON,
    EAGER,
    GRAPHS,
    INSIDE,
    MODES,
    NESTED,
    OUTSIDE,
    PERSISTENT,
    UNKNOWN,
    XLA,
    contrast,
    message,
    same,
)

COMPARED = "Incompatible shapes between op input and calculated input gradient"


def returning(shape):
    """A function of one tensor whose gradient has the given shape."""

    @tf.custom_gradient
    def doubled(x):
        x = tf.identity(x)
        return 2 * x, lambda upstream: tf.ones(shape)

    return doubled


CONTRADICTIONS = [([], [1]), ([1], []), ([3], [2, 3]), ([3, 2], [2, 3]), ([4], [3])]
"""Shapes of a gradient, and of its input."""


@pytest.mark.parametrize("place", [EAGER, INSIDE, NESTED, XLA, *ALL_OUTSIDE], ids=str)
def test_compared_at_the_call(place):
    cases = CONTRADICTIONS if place in MODES else CONTRADICTIONS[2:3]
    for of_gradient, of_input in cases:
        function, x = returning(of_gradient), tf.ones(of_input)
        error = message(place.value, function, x)
        if place in UNKNOWN:
            batch_is_wrong = len(of_gradient) == len(of_input)
            if "rank" in place.name or batch_is_wrong:
                with contrast("also a dimension that is unknown while tracing"):
                    assert not error
            continue
        if place in ALL_OUTSIDE:
            assert COMPARED in error and "ValueError" in error
        else:
            with contrast("a tape in a tf.function, too"):
                assert not error
            if place is NESTED:  # the error comes when a gradient is computed
                assert COMPARED in message(place.gradient, function, x)
            else:
                assert place.gradient(function, x).shape == of_gradient
    if place is OUTSIDE:
        with contrast("also without a tape"):
            assert not message(tf.function(returning([3])), tf.ones([2, 3]))
        right = returning([2, 3])
        assert same(place.gradient(right, tf.ones([2, 3])), tf.ones([2, 3]))


@pytest.mark.parametrize("outputs", [1, 2, 3])
@pytest.mark.parametrize("arguments", [1, 2, 3])
def test_identity_n(arguments, outputs):
    """Find the inputs by their shapes, and by the message about a wrong gradient."""
    variables = [tf.Variable([1.0, 2.0])][: arguments - 1]

    @tf.custom_gradient
    def rule(*xs):
        total = tf.add_n([tf.reduce_sum(x) for x in (*xs, *variables)])

        def grad(*upstreams, variables=()):
            gradients = [tf.ones_like(x) for x in xs]
            of_xs = [*gradients[:-1], tf.ones([9])]
            return (of_xs, [tf.ones_like(v) for v in variables]) if variables else of_xs

        return [tf.fill([7, n], total) for n in range(outputs)], grad

    xs = [tf.ones([1, 1, n]) for n in range(arguments)]
    function = tf.function(lambda *xs: rule(*xs))
    graph = function.get_concrete_function(*xs).graph
    [operation] = [op for op in graph.get_operations() if op.type == "IdentityN"]
    shapes = [list(tensor.shape) for tensor in operation.inputs]
    expected = [[7, n] for n in range(outputs)] + [[1, 1, n] for n in range(arguments)]
    assert shapes == expected + [[2]] * len(variables)
    error = message(OUTSIDE.gradients, lambda *xs: rule(*xs)[0], *xs)
    assert "Forward operation: IdentityN" in error
    index = outputs + arguments - 1
    assert f"index: {index}. Original input shape: (1, 1, {arguments - 1})" in error
    with contrast("the arguments or the variables first, or counted from 1"):
        assert shapes[0] == [7, 0] and f"Input index: {index + 1}." not in error


@pytest.mark.parametrize("place", COMMON, ids=str)
def test_ensure_shape(place):
    def checked(of_gradient, check=None):
        @tf.custom_gradient
        def doubled(x):
            x = tf.identity(x)

            def grad(upstream):
                gradient = tf.ones(of_gradient)
                if check is not None:
                    check(tf.shape(gradient), tf.shape(x))
                    return tf.ones_like(x)
                return (
                    tf.reshape(tf.ensure_shape(gradient, x.shape), [-1])[0] * upstream
                )

            return 2 * x, grad

        return doubled

    if "unknown rank" in place.name:
        with contrast("also if the rank is unknown, where it rejects the right shape"):
            assert message(place.gradient, checked([2, 3]), tf.ones([2, 3]))
        return
    wrong = {"batch": [5, 3], "column": [2, 4], "rank": [3], "scalar": []}
    for dimension, of_gradient in wrong.items():
        error = message(place.gradient, checked(of_gradient), tf.ones([2, 3]))
        if place in UNKNOWN and dimension == "batch":
            with contrast("in a graph, also a dimension that is unknown while tracing"):
                assert not error
        else:
            assert "hape" in error
            assert place not in (EAGER, PERSISTENT) or "InvalidArgument" in error
    assert same(place.gradient(checked([2, 3]), tf.ones([2, 3])), tf.ones([2, 3]))
    if place in (EAGER, GRAPHS[0]):
        with contrast("so does tf.debugging.assert_equal, which broadcasts the shapes"):
            check = tf.debugging.assert_equal
            assert not message(place.gradient, checked([3], check), tf.ones([3, 3]))
