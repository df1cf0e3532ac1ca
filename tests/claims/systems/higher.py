"""The claims of docs/systems/higher.md."""

import functools

import numpy as np
import pytest
import tensorflow as tf

from tests.harness import (
    BLOCKS,
    EAGER,
    FORWARDS,
    INSIDE,
    MODES,
    NESTED,
    OUTSIDE,
    SYMBOLIC,
    UNKNOWN,
    VECTORIZED,
    XLA,
    contrast,
    derivative,
    message,
    program,
    raised,
    same,
)

PLACES = [*MODES, *BLOCKS[1:5], UNKNOWN[3]]
"""All modes, branches and loops, and an unknown rank with the tapes outside."""
PLAIN = [EAGER, INSIDE, OUTSIDE]
FEW = [*PLAIN, NESTED, *BLOCKS[2:5]]
X = np.float64([0.5, 1.0, 1.75, 3.0])


def of_loss(function):
    """Return the loss of the page, half the squared distance to 5000."""
    return lambda x: 0.5 * (function(x) - 5000.0) ** 2


def cube_by(local):
    """A cube that computes its local derivative by a function of x."""

    @tf.custom_gradient
    def cube(x):
        x = tf.identity(x)  # else, a branch raises
        return x**3, lambda upstream: upstream * local(x)

    return cube


def three_squares(x):
    """The local derivative, as operations."""
    return 3 * x**2


@pytest.mark.parametrize("place", PLACES, ids=str)
def test_both_terms(place):
    cube = cube_by(three_squares)
    of_x, of_upstream = 6 * X * (X**3 - 5000), 9 * X**4
    second = place.derivative(of_loss(cube), X)
    assert same(second, of_x + of_upstream, 1e-9)
    with contrast("with respect to the captured input only"):
        assert not same(second, of_x, 1e-3)
    with contrast("with respect to the upstream gradient only"):
        assert not same(second, of_upstream, 1e-3)
    if place is EAGER:
        in_float32 = EAGER.derivative(of_loss(cube), tf.cast(X, tf.float32))
        assert same(in_float32, of_x + of_upstream, 1e-5)


def exponential(factor):
    """An exponential whose gradient is multiplied by a factor."""

    @tf.custom_gradient
    def exp(x):
        x = tf.identity(x)
        return tf.exp(x), lambda upstream: factor * upstream * tf.exp(x)

    return exp


@tf.custom_gradient
def by_output(x):
    y = exponential(7.0)(tf.identity(x))
    return y, lambda upstream: upstream * y


@tf.custom_gradient
def by_intermediate(x):
    e = exponential(7.0)(tf.identity(x))
    return tf.sin(e), lambda upstream: upstream * tf.cos(e) * e


@tf.custom_gradient
def by_input(x):
    x = tf.identity(x)
    return exponential(7.0)(x), lambda upstream: upstream * tf.exp(x)


@pytest.mark.parametrize("place", [*FEW, XLA], ids=str)
def test_captured_result(place):
    def both(x):
        return tf.stack([by_output(x), by_intermediate(x)])

    e = np.exp(X)
    second = place.derivative(both, X)
    # The factor 7 belongs to the operation that computed the captured result.
    of_intermediate = 7 * e * (np.cos(e) - e * np.sin(e))
    assert same(second, 7 * e + of_intermediate, 1e-9)
    if place in (EAGER, OUTSIDE):
        assert same(place.gradient(both, X), e + np.cos(e) * e, 1e-9)
        with contrast("from the gradient function, as if grad captured the input"):
            assert same(place.derivative(by_input, X), e, 1e-9)
    if place is EAGER:
        softplus = program("systems/higher/kept.py")
        with contrast("the second derivative is right whatever grad captures"):
            names = "the_output", "the_sigmoid", "the_exponential"
            far = [EAGER.derivative(getattr(softplus, n), 100.0) for n in names]
            assert same(far, [0.0, 0.0, np.nan])


def constant_reciprocal(x):
    """1/x without any derivative that a tape could find."""
    return 1.0 / tf.stop_gradient(x)


@tf.custom_gradient
def calling_itself(x):
    x = tf.identity(x)
    return constant_reciprocal(x), lambda u: -u * calling_itself(x) ** 2


@tf.custom_gradient
def capturing_output(x):
    y = constant_reciprocal(tf.identity(x))
    return y, lambda u: -u * y**2


@pytest.mark.parametrize("place", [*FEW, XLA], ids=str)
def test_calls_itself(place):
    reciprocal = program("systems/higher/solution.py").reciprocal
    rights = {1: -1 / X**2, 2: 2 / X**3, 3: -6 / X**4, 4: 24 / X**5}
    orders = {EAGER: (1, 2, 3, 4), INSIDE: (3,), OUTSIDE: (3,)}
    for order in orders.get(place, (2,)):
        both = place.derivative(lambda x: calling_itself(x) + reciprocal(x), X, order)
        assert same(both, 2 * rights[order], 1e-9)
    with contrast("also if grad captures the output"):
        if place in PLAIN:
            other = place.derivative(lambda x: capturing_output(x) + 0 * x * x, X)
            assert same(other, 0 * X)
    if place is OUTSIDE:
        with contrast("without the copy, too"):

            @tf.custom_gradient
            def exponential(x):
                return tf.exp(x), lambda upstream: upstream * exponential(x)

            assert same(EAGER.derivative(exponential, X), np.exp(X), 1e-9)
            assert isinstance(raised(OUTSIDE.derivative, exponential, X), TypeError)


THIRD = [EAGER, OUTSIDE, INSIDE, BLOCKS[4]]


@pytest.mark.parametrize("place", [*PLAIN, *BLOCKS[1:5], *BLOCKS[9:11]], ids=str)
def test_copies(place):
    defined = program("systems/higher/nested.py")

    def cubes(x):
        return tf.stack([defined.cube_by_both(x[0]), defined.cube_by_x(x[1])])

    x = np.stack([X, X + 1])
    assert same(place.derivative(cubes, x), 6 * x, 1e-9)
    if place in THIRD:
        assert same(place.derivative(cubes, x, order=3), np.full_like(x, 6.0), 1e-9)
    if place is not OUTSIDE:
        return

    @tf.custom_gradient
    def local_without_copy(x):
        return 3 * x**2, lambda upstream: upstream * 6 * x

    bare = tf.custom_gradient(lambda x: (x**3, lambda u: u * local_without_copy(x)))
    with contrast("without copies, too"):
        assert message(OUTSIDE.derivative, bare, X).startswith("TypeError")
        assert same(EAGER.derivative(bare, X), 6 * X)


DISABLED = "Gradient explicitly disabled"


@pytest.mark.parametrize("place", PLACES, ids=str)
def test_prevent_gradient(place):
    def prevented(x):
        return tf.raw_ops.PreventGradient(input=x, message="once")

    assert DISABLED in message(place.gradient, prevented, X)
    if place is EAGER:
        for dtype in (tf.float16, tf.bfloat16, tf.float64, tf.complex64):
            x = tf.cast(X, dtype)
            assert same(prevented(x), x) and prevented(x).dtype == dtype
            assert DISABLED in message(EAGER.gradient, prevented, x)
        assert same(tf.function(prevented)(X), X)
        for mapped in VECTORIZED:
            assert DISABLED in message(mapped.gradient, prevented, 2.0)
        for forward in FORWARDS:
            assert DISABLED in message(forward.jvp, prevented, X)
    with contrast("returns None, as tf.stop_gradient"):
        if place in (EAGER, INSIDE, OUTSIDE):
            assert place.gradient(tf.stop_gradient, X) is None


@pytest.mark.parametrize("options", [{}, {"jit_compile": True}], ids=["", "XLA"])
@pytest.mark.parametrize("is_in_branch", [False, True], ids=["", "branch"])
def test_two_tapes_outside(options, is_in_branch):
    once = program("systems/higher/refuse.py").once
    cube = tf.custom_gradient(
        lambda x: (x**3, lambda u: once(u * 3 * tf.identity(x) ** 2, x))
    )

    def called(x):
        x = tf.identity(x)
        return (
            tf.cond(x > 0, lambda: cube(x + 0), lambda: x) if is_in_branch else cube(x)
        )

    if is_in_branch:  # a branch captures its own copy
        cube = cube_by(lambda x: once(3 * x**2, x))

    def first(function, x, is_watched=True):
        with tf.GradientTape() as outer:
            if is_watched:
                outer.watch(x)
            return derivative(function)(x)

    x, graph = tf.constant(2.0), tf.function(called, **options)
    assert DISABLED in message(functools.partial(first, graph), x)
    with contrast("one tape outside"):
        assert same(derivative(graph)(x), 12.0)
        assert same(first(graph, x, is_watched=False), 12.0)
    with contrast("two tapes inside, too"):
        inside = tf.function(functools.partial(first, called), **options)
        assert same(inside(x), 12.0) and same(first(called, x), 12.0)


@pytest.mark.parametrize("place", [*FEW, SYMBOLIC], ids=str)
def test_constant_loses(place):
    def by_numpy(x):
        local = tf.numpy_function(lambda x: 3 * x**2, [x], x.dtype)
        return tf.ensure_shape(local, x.shape)

    cubes = cube_by(lambda x: tf.stop_gradient(3 * x**2)), cube_by(by_numpy)

    def losses(x):
        return tf.stack([of_loss(cube)(row) for cube, row in zip(cubes, (x[0], x[1]))])

    x = np.stack([X, X + 1])
    assert same(place.derivative(losses, x), 9 * x**4, 1e-9)
    if place is EAGER:
        cube = cube_by(lambda x: 3 * x.numpy() ** 2)
        assert same(place.derivative(of_loss(cube), X), 9 * X**4, 1e-9)
    if place in PLAIN:
        first = place.gradient(losses, x)
        assert same(first, 3 * x**2 * (x**3 - 5000), 1e-9)
        line = tf.custom_gradient(lambda x: (3 * x, lambda u: u * by_numpy(x / x)))
        with contrast("loses the term of the upstream gradient"):
            assert same(place.derivative(of_loss(line), X), [9.0] * 4)
