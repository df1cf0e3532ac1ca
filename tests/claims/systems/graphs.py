"""The claims of docs/systems/graphs.md."""

import contextlib

import pytest
import tensorflow as tf
from tensorflow.python.framework import ops

from tests.harness import (
    ALL_OUTSIDE,
    BLOCKS,
    COMMON,
    EAGER,
    EVERYWHERE,
    FLOATS,
    GRAPHS,
    INSIDE,
    MODES,
    OUTSIDE,
    PERSISTENT,
    SYMBOLIC,
    UNKNOWN,
    VECTORIZED,
    XLA,
    contrast,
    gradients_in_fit,
    message,
    same,
)

EAGERLY = [EAGER, PERSISTENT]
IN_GRAPHS = [*GRAPHS, *BLOCKS, *UNKNOWN]


def noting(forwards, upstreams, also=lambda upstream: None):
    """Return x² that notes its Python calls; ``also`` runs in its ``grad``."""

    @tf.custom_gradient
    def square(x):
        x = tf.identity(x)  # else, a branch raises
        forwards.append(x)

        def grad(upstream):
            upstreams.append(upstream)
            also(upstream)
            return upstream * 2 * x

        return x * x, grad

    return square


def is_symbolic(tensor):
    """Tell whether a tensor has no value."""
    return not hasattr(tensor, "numpy")


def registered():
    """Return the names of all custom gradients in TensorFlow's registry."""
    names = ops.gradient_registry.list()
    return {name for name in names if name.startswith("CustomGradient-")}


@pytest.mark.parametrize("place", IN_GRAPHS, ids=str)
def test_only_while_tracing(place):
    upstreams, is_tracing = [], []
    square = noting([], upstreams, lambda _: is_tracing.append(tf.inside_function()))
    for x in (3.0, 4.0, -5.0):
        assert same(place.gradient(square, x), 2 * x)
        if x == 3.0:
            calls = len(upstreams)
    assert calls and all(is_tracing) and all(map(is_symbolic, upstreams))
    with contrast("each time the graph runs: three steps call it as often as one"):
        assert len(upstreams) == calls
    with contrast("any later call: one under a persistent tape calls it again"):
        cube, counts = noting([], noted := []), []
        called = tf.function(cube)
        for persistent in (False, False, True, True):
            with tf.GradientTape(persistent=persistent) as tape:
                tape.watch(x := tf.constant(3.0))
                called(x)
            counts.append(len(noted))
        assert counts == [1, 1, 3, 3]
    with contrast("in eager mode, too, where each step calls it"):
        upstreams.clear()
        assert same([EAGER.gradient(square, x) for x in (3.0, 4.0)], [6.0, 8.0])
        assert len(upstreams) == 2 and not any(map(is_symbolic, upstreams))


@pytest.mark.parametrize("place", EVERYWHERE, ids=str)
def test_outside_builds_backward(place):
    square = noting([], upstreams := [], lambda upstream: upstream.numpy())
    error = message(place.value, square, 3.0)
    if place in ALL_OUTSIDE:
        assert error.startswith("AttributeError") and "numpy" in error and upstreams
        variable, of_variable = tf.Variable(3.0), tf.function(lambda: square(variable))
        with tf.GradientTape():
            assert "numpy" in message(of_variable)
    else:
        with contrast("also if the tape is inside"):
            assert not error and not upstreams
    if place is OUTSIDE:
        with contrast("also without a tape"):
            assert tf.function(square)(3.0) == 9
        with contrast("also with a tape that watches no input"), tf.GradientTape():
            assert tf.function(square)(3.0) == 9


@pytest.mark.parametrize("place", [p for p in COMMON if p not in EAGERLY], ids=str)
def test_python_number(place):
    strength, variable = [1.0], tf.Variable(1.0, trainable=False)

    @tf.custom_gradient
    def scaled(x, by_variable):
        x, by_variable = tf.identity(x), tf.identity(by_variable)

        def grad(upstream):
            factors = [strength[0], tf.cast(by_variable, x.dtype)]
            return tf.stack([upstream * factor for factor in factors]), None

        return 2 * x[0], grad

    def function(x):
        return scaled(tf.stack([x, x * 1e3]), tf.identity(variable))

    assert same(place.gradient(function, 3.0), 1001.0)
    for value in (7.0, 0.0):
        strength[0] = value
        variable.assign(value)
        gradient = place.gradient(function, 3.0)
        assert same(gradient, 1 + 1e3 * value)
        with contrast("or of a variable: its new value is used"):
            assert not same(gradient, 1001.0)
    strength[0] = 5.0
    with contrast("for all later traces"):
        x = tf.constant(3, tf.float64)
        assert same(place.gradient(function, x), 5.0)
    with contrast("in eager mode, too"):
        assert same(EAGER.gradient(function, 3.0), 5.0)


@contextlib.contextmanager
def run_eagerly():
    """Run every ``tf.function`` as Python code."""
    tf.config.run_functions_eagerly(True)
    try:
        yield
    finally:
        tf.config.run_functions_eagerly(False)


@pytest.mark.parametrize(
    "place", [place for place in EVERYWHERE if place is not SYMBOLIC], ids=str
)
def test_run_eagerly(place):
    square = noting([], upstreams := [])
    with run_eagerly():
        steps = [place.gradient(square, x) for x in (3.0, 4.0)]
    assert same(steps, [6.0, 8.0]) and len(upstreams) == 2
    assert not any(map(is_symbolic, upstreams))
    if "XLA" in place.name:
        with contrast("but a function with jit_compile=True stays compiled"):
            assert same(upstreams, [1.0, 1.0])
    if place is INSIDE:
        upstreams.clear()
        with contrast("without the setting, too"):
            place.gradient(square, 3.0)
            assert is_symbolic(upstreams.pop())
        with contrast("tape.jacobian, too"), run_eagerly(), tf.GradientTape() as tape:
            x = tf.constant([3.0, 4.0])
            tape.watch(x)
            tape.jacobian(square(x), x)
            assert any(map(is_symbolic, upstreams))


BRANCHES = {
    "cond": lambda f, x: tf.cond(tf.size(x) > 0, lambda: f(x), lambda: x),
    "switch_case": lambda f, x: tf.switch_case(
        tf.size(x) * 0 + 1, [lambda: x, lambda: f(x)]
    ),
    "case": lambda f, x: tf.case([(tf.size(x) > 9, lambda: x)], lambda: f(x)),
}


@pytest.mark.parametrize("place", COMMON, ids=str)
def test_copy_in_a_branch(place):
    def copying(*names):
        @tf.custom_gradient
        def rule(x, v):
            x = tf.identity(x) if "x" in names else x
            v = tf.identity(v) if "v" in names else v
            return x * x * v, lambda up: (up * 20 * x * v, up * 10 * x * x)

        return rule

    kinds = BRANCHES if place in MODES else ["cond"]

    def branches(function):
        return lambda x, v: [
            BRANCHES[kind](lambda x: function(x, v), x) for kind in kinds
        ]

    for dtype in FLOATS if place is EAGER else [tf.float32]:
        inputs = tf.constant(0.5, dtype), tf.constant(1.5, dtype)
        right = [len(kinds) * 15.0, len(kinds) * 2.5]
        assert same(place.gradients(branches(copying("x", "v")), *inputs), right)
    if place is OUTSIDE:
        with contrast("also if it copies none of its arguments, or only one"):
            for names in "", "x", "v":
                error = message(place.gradients, branches(copying(*names)), *inputs)
                assert error.startswith("AssertionError")


SAME_GRAPH = [EAGER, PERSISTENT, INSIDE, XLA]
SAME_GRAPH += [place for place in UNKNOWN if "inside" in place.name]
SAME_GRAPH += [place for place in BLOCKS if place.name == "strategy.run, inside"]


@pytest.mark.parametrize("place", [*EVERYWHERE, *VECTORIZED], ids=str)
def test_record_or_name(place):
    square = noting([], upstreams := [])

    def swapped(x):
        before = registered()
        y = square(x)
        for name in registered() - before:
            entry = ops.gradient_registry._registry[name]
            entry["type"] = lambda op, upstream, _: (None, 100 * upstream)
        return y

    gradient = place.gradient(swapped, 3.0)
    if place in SAME_GRAPH:
        assert same(gradient, 6.0) and upstreams
    elif place in VECTORIZED:  # neither: the map drops the custom gradient
        assert same(gradient, 6.0) and not upstreams
    else:
        assert same(gradient, 100.0) and not upstreams
    if place.name in ("branch, inside", "loop, inside"):
        with contrast("if it is somewhere in the same tf.function"):
            assert same(gradient, 100.0)
    if place is INSIDE:
        assert same(gradients_in_fit(swapped, 3.0), [6.0])
        taped = tf.function(
            lambda x: tf.cond(x > 0, lambda: EAGER.gradient(swapped, x), lambda: x)
        )
        assert taped(tf.constant(3.0)) == 6  # tape and call are in one branch


@pytest.mark.parametrize("place", [*COMMON, *VECTORIZED], ids=str)
def test_registration(place):
    square = noting(forwards := [], [])
    before = len(registered())
    place.gradient(lambda x: square(x) + square(x), 3.0)
    traced = sum(map(is_symbolic, forwards))
    assert traced == (0 if place in EAGERLY else len(forwards))
    assert len(registered()) == before + traced
    if place is INSIDE:
        with contrast("one for each trace, however many calls it has"):
            assert len(registered()) == before + 2
        with contrast("one for each decorated function"):
            before = len(registered())
            place.gradient(lambda x: square(x) - square(x), 3.0)
            assert len(registered()) == before + 2
