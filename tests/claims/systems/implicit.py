"""The claims of docs/systems/implicit.md."""

import pytest
import tensorflow as tf

from tests.harness import (
    BLOCKS,
    EAGER,
    INSIDE,
    NESTED,
    OUTSIDE,
    PERSISTENT,
    UNKNOWN,
    XLA,
    contrast,
    same,
)

STEPS = 5


def solver(calls, read=lambda: 0.0, is_loop=False):
    """Return a solver of y = x + read(), each of whose steps appends to a list when its
    gradient function is called."""

    @tf.custom_gradient
    def step(y, x):
        y, x = tf.identity(y), tf.identity(x)  # else, a branch raises

        def grad(upstream):
            calls.append(upstream)
            return upstream / 2, upstream / 2

        return (y + x) / 2, grad

    def next_of(y, x):
        return step(y, x + tf.cast(read(), x.dtype))

    def solve(y, x):
        if is_loop:
            body = lambda i, y: (i + 1, next_of(y, x))
            return tf.while_loop(
                lambda i, _: i < STEPS, body, (0, y), maximum_iterations=STEPS
            )[1]
        for _ in range(STEPS):
            y = next_of(y, x)
        return y

    return solve


def stopped(solve):
    """Pass the inputs of a solver through tf.stop_gradient, and keep a path to x."""
    stop = tf.stop_gradient
    return lambda x: solve(stop(tf.zeros_like(x)), stop(x)) + 3 * x


@pytest.mark.parametrize("place", [EAGER, PERSISTENT, INSIDE, XLA, UNKNOWN[2]], ids=str)
def test_hides_the_solver(place):
    w = tf.Variable([1.0, 2.0])
    xs = [tf.constant([1.0, 2.0], dtype) for dtype in place.dtypes]
    calls = []
    stop = tf.stop_gradient
    for function in (
        stopped(solver(calls)),
        stopped(solver(calls, is_loop=True)),
        stopped(solver(calls, read=lambda: stop(w))),
        lambda x: stopped(solver(calls, read=lambda: stop(2 * x)))(x),
    ):
        assert same(place.each(function, xs), [[3.0, 3.0]] * len(xs)) and not calls
    with contrast("if only the start passes through `tf.stop_gradient`"):
        solve = solver(calls)
        of_x = place.gradient(lambda x: solve(stop(x), x), xs[0])
        assert same(of_x, [1 - 0.5**STEPS] * 2) and len(calls) == STEPS
    with contrast("also if the solver reads a trainable variable itself"):
        calls.clear()
        of_x = place.gradient(stopped(solver(calls, read=lambda: w)), xs[0])
        assert same(of_x, [3.0, 3.0]) and len(calls) == STEPS
    if place is INSIDE:
        with contrast("also with the tape outside, nested, or in a branch"):
            for elsewhere in (OUTSIDE, NESTED, BLOCKS[1]):
                calls.clear()
                of_x = elsewhere.gradient(stopped(solver(calls)), xs[0])
                assert same(of_x, [3.0, 3.0]) and len(calls) >= STEPS
