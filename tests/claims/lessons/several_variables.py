"""The claims of docs/lessons/several_variables.md."""

import pytest
import tensorflow as tf

from tests.harness import (
    COMMON,
    EAGER,
    FLOATS,
    OUTSIDE,
    TAPES,
    contrast,
    gradients_in_fit,
    raised,
    same,
)

VALUES = 2.0, 3.0, 5.0
GRADIENTS = 15.0, 10.0, 6.0
"""Of x y z with respect to x, y and z."""
ORDERS = [(0, 1, 2), (1, 0, 2), (2, 0, 1)]


def product(order):
    """x y z, whose gradient function returns its three gradients in another order."""

    @tf.custom_gradient
    def multiply(x, y, z):
        x, y, z = map(tf.identity, (x, y, z))  # else, a branch raises

        def grad(upstream):
            right = upstream * y * z, upstream * x * z, upstream * x * y
            return [right[n] for n in order]

        return x * y * z, grad

    return multiply


def all_products(*inputs):
    """Add a product for each order, with three inputs for each."""
    triples = [inputs[n : n + 3] for n in range(0, len(inputs), 3)]
    return tf.add_n([product(order)(*xyz) for order, xyz in zip(ORDERS, triples)])


@pytest.mark.parametrize("place", COMMON, ids=str)
def test_by_position(place):
    expected = [GRADIENTS[n] for order in ORDERS for n in order]
    assert same(place.gradients(all_products, *VALUES * len(ORDERS)), expected)
    if place is not EAGER:
        return
    for dtype in FLOATS:
        xyz = [tf.fill([2], tf.cast(value, dtype)) for value in VALUES]
        swapped = place.gradients(product((1, 0, 2)), *xyz)
        assert same(swapped, [[10.0] * 2, [15.0] * 2, [6.0] * 2])
        assert [gradient.dtype for gradient in swapped] == [dtype] * 3
    swapped = gradients_in_fit(product((1, 0, 2)), *VALUES)
    assert same(swapped, [10.0, 15.0, 6.0])
    with contrast("by name: those of a dictionary arrive in the order of its keys"):

        @tf.custom_gradient
        def named(y, x):
            return x * y, lambda upstream: {"y": upstream * 3.0, "x": upstream * 2.0}

        assert same(EAGER.gradients(named, 2.0, 3.0), [2.0, 3.0])
        assert same(OUTSIDE.gradients(named, 2.0, 3.0), [2.0, 3.0])
    with contrast("whatever their shapes: outside, two swapped shapes raise an error"):

        @tf.custom_gradient
        def scaled(x, y):
            return x * tf.reduce_sum(y), lambda upstream: (tf.ones([3]), upstream)

        error = raised(OUTSIDE.gradients, scaled, tf.ones([2]), tf.ones([3]))
        assert isinstance(error, ValueError)


@pytest.mark.parametrize("place", TAPES, ids=str)
def test_order_of_sources(place):
    def of_zxy(z, x, y):
        return product((0, 1, 2))(x, y, z)

    assert same(place.gradients(of_zxy, 5.0, 2.0, 3.0), [6.0, 15.0, 10.0])
    assert same(place.gradients(lambda x, y: x * y**2, 5.0, 3.0), [9.0, 30.0])
    with contrast("in the order of the parameters: another order changes nothing"):

        @tf.custom_gradient
        def product_of_yzx(y, z, x):
            y, z, x = map(tf.identity, (y, z, x))
            return x * y * z, lambda upstream: (
                upstream * z * x,
                upstream * y * x,
                upstream * y * z,
            )

        def of_zxy_again(z, x, y):
            return product_of_yzx(y, z, x)

        assert same(place.gradients(of_zxy_again, 5.0, 2.0, 3.0), [6.0, 15.0, 10.0])
    with contrast("in the order in which the tape watched them"):
        x, y = tf.constant(2.0), tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(y)
            tape.watch(x)
            z = x * y
        assert same(tape.gradient(z, [x, y]), [3.0, 2.0])
