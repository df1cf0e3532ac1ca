"""The claims of docs/systems/implicit.md."""

import pytest
import tensorflow as tf

from tests.harness import (
    EAGER,
    INSIDE,
    PERSISTENT,
    XLA,
    contrast,
    same,
)

STEPS = 5


def solver(calls):
    """Return a solver of y = x, each of whose steps appends to a list when its gradient
    function is called."""

    @tf.custom_gradient
    def step(y, x):
        def grad(upstream):
            calls.append(upstream)
            return upstream / 2, upstream / 2

        return (y + x) / 2, grad

    def solve(y, x):
        for _ in range(STEPS):
            y = step(y, x)
        return y

    return solve


@pytest.mark.parametrize("place", [EAGER, PERSISTENT, INSIDE, XLA], ids=str)
def test_hides_the_solver(place):
    calls, stop = [], tf.stop_gradient
    solve = solver(calls)

    def stopped(x):
        # The second term keeps a path to x.
        return solve(stop(tf.zeros_like(x)), stop(x)) + 3 * x

    xs = [tf.constant([1.0, 2.0], dtype) for dtype in place.dtypes]
    assert same(place.each(stopped, xs), [[3.0, 3.0]] * len(xs)) and not calls
    with contrast("if only the start passes through `tf.stop_gradient`"):
        half_stopped = place.gradient(lambda x: solve(stop(x), x), xs[0])
        assert same(half_stopped, [1 - 0.5**STEPS] * 2) and len(calls) >= STEPS
    if place is EAGER:
        _try_variables()


def _try_variables():
    """Try a variable that the solver reads."""
    calls, variable = [], tf.Variable([1.0, 2.0])
    with contrast("also if the solver reads a trainable variable"):
        with tf.GradientTape() as tape:
            y = solver(calls)(tf.zeros([2]), tf.convert_to_tensor(variable))
        of_variable = tape.gradient(y, variable)
        assert same(of_variable, [1 - 0.5**STEPS] * 2) and len(calls) == STEPS
    with tf.GradientTape() as tape:
        y = solver(calls)(tf.zeros([2]), tf.stop_gradient(variable))
    assert tape.gradient(y, variable) is None and len(calls) == STEPS
