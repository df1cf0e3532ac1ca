"""The claims of docs/systems/implicit.md."""

import numpy as np
import pytest
import tensorflow as tf

from tests.harness import (
    BLOCKS,
    EAGER,
    FLOATS,
    INSIDE,
    MODES,
    NESTED,
    OUTSIDE,
    PERSISTENT,
    UNKNOWN,
    XLA,
    XLA_OUTSIDE,
    contrast,
    message,
    output,
    program,
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


@pytest.mark.parametrize("damping", [1.0, 0.2])
@pytest.mark.parametrize(
    "place", [EAGER, INSIDE, OUTSIDE, NESTED, XLA, XLA_OUTSIDE], ids=str
)
def test_row_of_nan(place, damping):
    defined = program("systems/implicit/not_converged.py")
    W, x = defined.W, defined.x

    def loss(W, x):
        y = defined.equilibrium(W, x, damping)
        residual = tf.reduce_max(tf.abs(defined.step(y, W, x) - y), axis=1)
        return tf.reduce_sum(tf.where(residual < 1e-6, y[:, 0], 0.0))

    nan = tf.where([[True], [False], [False]], np.float64("nan"), x)
    if place in (XLA, XLA_OUTSIDE):
        of_W, of_x = place.gradients(loss, W, nan)
        with contrast("an error under XLA, too"):
            assert np.isnan(of_W).all() and np.isfinite(of_x[1:]).all()
    else:
        error = message(place.gradients, loss, W, nan)
        assert "Input matrix is not invertible" in error
    if place not in (EAGER, XLA):
        return
    with contrast("also if y is finite in that row"):
        y = defined.equilibrium(W, x, damping)
        residual = np.abs(defined.step(y, W, x) - y).max(1)
        converged = residual < 1e-6
        assert converged.tolist() == [damping == 0.2, True, True]
        of_W, of_x = place.gradients(loss, W, x)
        right = 0.0
        for i in np.flatnonzero(converged):
            A = np.diag(1 / (1 - y[i].numpy() ** 2)) - W.numpy()
            w = np.linalg.solve(A.T, [1.0, 0.0])
            assert same(of_x[i], w, 1e-6)
            right += np.outer(w, y[i])
        assert same(of_W, right, 1e-6)
        assert damping == 0.2 or same(of_x[0], [0.0, 0.0])


def halved(steps, start):
    """Return the solver of y = x + y / 2 that takes a number of steps."""

    def solve(x):
        y = tf.fill(tf.shape(x), tf.cast(start, x.dtype))
        for _ in range(steps):
            y = x + y / 2
        return y

    return solve


@pytest.mark.parametrize("place", [*MODES, BLOCKS[4]], ids=str)
def test_steps_taken(place):
    x, solution = tf.constant([1.0, 1.0]), 2.0
    solvers = {steps: halved(steps, solution) for steps in (1, 2)}
    cold = halved(25, 0.0)
    assert same([solver(x) for solver in (*solvers.values(), cold)], [[2.0, 2.0]] * 3)
    gradients = place.gradients(
        lambda *xs: [solve(x) for solve, x in zip((*solvers.values(), cold), xs)],
        *[x] * 3,
    )
    rights = [2 * (1 - 0.5**steps) for steps in (*solvers, 25)]
    assert same(gradients, [[right] * 2 for right in rights], 1e-6)
    with contrast("differentiates the solution, so its gradient is 2 for every start"):
        assert same(gradients[0], [1.0, 1.0]) and same(gradients[1], [1.5, 1.5])
    if place is EAGER:
        in_program = output("systems/implicit/wrong/warm.py").starting("start")
        from_zero, from_solution = in_program
        assert from_zero["y"] == from_solution["y"]
        assert from_zero["tape"] > 1.9 and from_solution["tape"] == 1.0
        with contrast("a custom gradient that uses only the solution, too"):
            assert from_zero["custom"] == from_solution["custom"]


HALF = tf.Variable([0.5])


def loop(x, factor):
    """Find y = factor * y + x in a loop without a limit."""

    def step(y, taken):
        return tf.cast(factor, x.dtype) * y + x, taken + 1

    return tf.while_loop(lambda y, taken: taken < 60, step, (x, 0))


def squared_solution(reads):
    """Return the square of a solver whose gradient function reads a result."""

    @tf.custom_gradient
    def solve(x):
        results = loop(x, tf.identity(HALF))

        def grad(upstream, variables=None):
            read = tf.cast(results[reads], x.dtype)
            return 2 * upstream + 0 * read, [tf.zeros([1])]

        return results[0], grad

    return lambda x: solve(x) ** 2


@pytest.mark.parametrize("place", [XLA, XLA_OUTSIDE], ids=str)
def test_no_limit(place):
    limit = "requires a fixed tensor list size"
    x = tf.constant([1.0, 3.0])
    functions = [squared_solution(reads) for reads in (0, 1)]
    inputs = [tf.cast(x, dtype) for dtype in FLOATS[1:]]
    gradients = place.each(lambda x: sum(f(x) for f in functions), inputs)
    assert same(gradients, [16 * x] * 3, 1e-2)
    with contrast("without a custom gradient, too"):
        error = message(place.gradient, lambda x: loop(x, HALF)[0], x)
        assert limit in error
    with contrast("a second derivative, too"):
        assert limit in message(place.derivative, squared_solution(0), x)
