"""Promise: each row of the table in ``src/vjpcheck/README.md`` is true of vjpcheck."""

from collections.abc import Callable

import numpy as np
import pytest
import tensorflow as tf

from vjpcheck import GradientError, check_custom_gradient, check_grads, explain
from vjpcheck.failure import smallest, text

from .project import ROOT

pytestmark = pytest.mark.tools

X = np.array([1.3, -0.7, 0.4])
ROWS = np.stack([X, -X])
Z = np.array([1 + 2j, 0.3 - 1j])
KINK = np.array([0.0, 1.0])


def rule(values: Callable, gradient: Callable) -> Callable:
    """Return a function of one input with a custom gradient."""

    @tf.custom_gradient
    def function(x):
        return values(x), lambda *upstream: gradient(x, *upstream)

    return function


def of_sine(change: Callable) -> Callable:
    """Return the sine, with a change of the upstream gradient, given the input."""
    return rule(tf.sin, lambda x, up: change(x, up) * tf.cos(x))


def by_python(f: Callable) -> Callable:
    """Return a function of a tensor that NumPy computes."""
    return lambda x: tf.ensure_shape(tf.numpy_function(f, [x], x.dtype), x.shape)


SINE = of_sine(lambda x, up: up)
OFF = rule(tf.sin, lambda x, up: up * (tf.cos(x) + 1e-3))
SLIGHTLY = rule(tf.sin, lambda x, up: up * tf.cos(x) * [1.0, 1.0, 1.0001])
MISSING = rule(tf.sin, lambda x, up: tf.cos(x))
ONCE = rule(tf.sin, lambda x, up: up * tf.stop_gradient(tf.cos(x)))
SLOPE = rule(tf.cos, lambda x, up: -up * tf.stop_gradient(tf.sin(x)))
TWICE = rule(tf.sin, lambda x, up: up * SLOPE(x))
BAD_SECOND = rule(tf.sin, lambda x, up: up * rule(tf.cos, lambda x, up: up)(x))
IN_NUMPY = by_python(np.sin)
EAGER = rule(tf.sin, lambda x, up: tf.constant(np.cos(x.numpy())) * up)
BY_NUMPY = of_sine(lambda x, up: by_python(lambda up: up)(tf.convert_to_tensor(up)))
KNOWN = of_sine(lambda x, up: tf.ones(up.shape, up.dtype) * up)
THROUGH = rule(tf.round, lambda x, up: up)
V = tf.Variable([2.0, 3.0, 4.0], dtype=tf.float64)
FINE = 2 * X + 0.1 * np.cos(1e5 * X)


def double(x):
    return 2.0 * x


def values_alone(x, upstream):
    """Take the values of slices for those of a tensor."""
    return tf.reshape(2.0 * getattr(upstream, "values", upstream), tf.shape(x))


def rough(x):
    return tf.square(x) + 1e-6 * tf.sin(1e5 * x)


def relu(at_zero: float) -> Callable:
    def slope(x):
        return tf.where(x == 0, at_zero * tf.ones_like(x), tf.cast(x > 0, x.dtype))

    return rule(tf.nn.relu, lambda x, up: up * slope(x))


def used(is_needed: bool) -> Callable:
    """Return a function whose gradient is wrong unless its second output is used."""

    def gradient(x, one, other):
        both = one * tf.cos(x) + other * 2.0 * x
        is_wrong = tf.reduce_all(tf.equal(other, 0.0)) & is_needed
        return tf.where(is_wrong, tf.zeros_like(x), both)

    return rule(lambda x: (tf.sin(x), tf.square(x)), gradient)


def kept(taken: Callable, is_shared: bool = False) -> Callable:
    """Return a function that takes its input from a list in its gradient function."""
    shared: list = []

    @tf.custom_gradient
    def function(x):
        inputs = shared if is_shared else []
        inputs.append(x)
        return tf.sin(x), lambda upstream: upstream * tf.cos(taken(inputs))

    return function


def of_variable(factor: float) -> Callable:
    @tf.custom_gradient
    def function(x):
        def grad(upstream, variables=None):
            return upstream * V, [factor * tf.reduce_sum(upstream * x, 0)]

        return x * V, grad

    return function


@tf.custom_gradient
def add(x, y):
    return x + y, lambda upstream: (upstream, upstream)


def structure(inputs, scale):
    return {"y": inputs["a"] * scale, "z": [inputs["b"] ** 2]}


A, B = {"a": X, "b": tf.constant(2.0)}, {"a": X, "b": np.ones([2, 0])}
GRADS, CUSTOM = check_grads, check_custom_gradient
REV, FWD, FIRST = {"modes": ["rev"]}, {"modes": ["fwd"]}, {"modes": ["rev"], "order": 1}
# For each row, right and wrong derivatives, with words of the message of a wrong one.
TABLE: dict[str, list[tuple]] = {}


def row(name: str, *cases: tuple) -> None:
    TABLE[name] = [*cases]


def right(check: Callable, f: Callable, *args: object, **options: object) -> tuple:
    return check, f, args, options, ""


def wrong(
    words: str, check: Callable, f: Callable, *args: object, **options: object
) -> tuple:
    return check, f, args, options, words


row(
    "raises an error if a gradient is wrong",
    right(CUSTOM, SINE, X),
    wrong("upstream = ", CUSTOM, MISSING, X),
    wrong("upstream = ", GRADS, MISSING, X),
)
row(
    "forward mode",
    right(GRADS, SINE, X, **FWD),
    wrong("fwd: ", GRADS, IN_NUMPY, X, **FWD),
    # Forward mode calls the gradient function of what it can't differentiate.
    right(GRADS, rule(IN_NUMPY, lambda x, up: up * tf.cos(x)), X, **FWD, order=1),
    wrong("fwd: ", GRADS, rule(IN_NUMPY, lambda x, up: up * 7.0), X, **FWD),
    right(GRADS, rule(tf.sin, lambda x, up: up * 7.0), X, **FWD),
)
row(
    "second order",
    right(GRADS, tf.matmul, np.eye(2), np.ones([2, 1])),
    right(GRADS, ONCE, X, order=1),
    wrong("rev of rev", GRADS, ONCE, X),
    right(CUSTOM, TWICE, X),
    wrong("second derivative", CUSTOM, BAD_SECOND, X),
)
row(
    "higher orders",
    right(GRADS, tf.sin, X[:1], **REV, order=4),
    right(GRADS, TWICE, X, **REV),
    wrong("rev of rev of rev", GRADS, TWICE, X, **REV, order=3),
)
row(
    "absolute and relative tolerance",
    wrong("rev: ", GRADS, OFF, X, **FIRST),
    right(GRADS, OFF, X, **FIRST, rtol=1e-2),
    right(GRADS, OFF, X, **FIRST, atol=1e-2),
    wrong("is right", CUSTOM, OFF, X, rtol=1e-4, atol=1e-5),
    right(CUSTOM, OFF, X, atol=5.0, order=1),
)
row(
    "step",
    right(GRADS, rule(rough, lambda x, up: up * FINE), X, **FIRST, eps=1e-6),
    wrong(
        "is right", GRADS, rule(rough, lambda x, up: up * 2 * x), X, **FIRST, eps=1e-6
    ),
)
row(
    "step extrapolated to zero",
    right(GRADS, tf.math.log, np.array([1e-6])),
    right(GRADS, tf.math.log, np.array([1e6])),
    wrong("is right", GRADS, rule(tf.math.log, lambda x, up: up / x / 1.00001), X[:1]),
)
row(
    "random upstream gradient",
    wrong("is right", GRADS, of_sine(lambda x, up: tf.abs(up)), X),
    wrong("is right", CUSTOM, of_sine(lambda x, up: tf.square(up)), X),
    wrong("is right", CUSTOM, of_sine(lambda x, up: tf.minimum(up, 99.0)), X),
)
row(
    "each element by itself",
    wrong("x[2]", GRADS, SLIGHTLY, X),
    wrong("x[2]", CUSTOM, SLIGHTLY, X, shapes=False),
)
row(
    "second backward pass of a call",
    right(CUSTOM, kept(lambda inputs: inputs[0]), X),
    wrong("second backward pass", CUSTOM, kept(list.pop), X, graph=False),
)
row(
    "each output used alone",
    right(CUSTOM, used(False), X),
    wrong("the gradient", CUSTOM, used(True), X),
)
row(
    "shape and dtype of the gradient",
    wrong("(1, 3), but x", GRADS, rule(tf.sin, lambda x, up: up[None]), X),
    wrong("float32", CUSTOM, rule(tf.sin, lambda x, up: tf.cast(up, tf.float32)), X),
)
row(
    "complex numbers",
    right(GRADS, lambda z: z * z * tf.math.conj(z), Z),
    wrong("part of x[0]", GRADS, rule(tf.square, lambda z, up: up * 2.0 * z), Z),
    right(CUSTOM, rule(tf.square, lambda z, up: up * 2.0 * tf.math.conj(z)), Z),
)
row(
    "structures of arguments",
    right(GRADS, structure, A, 3),
    right(GRADS, structure, B, 3, order=1),
    wrong("respect to a", CUSTOM, lambda a, n: MISSING(a["a"]) * n, A, 3),
)
row(
    "eager against graph",
    wrong("inside tf.function", CUSTOM, EAGER, X),
    right(CUSTOM, EAGER, X, graph=False, order=1),
)
row(
    "unknown batch size",
    wrong("unknown batch size", CUSTOM, KNOWN, X),
    right(CUSTOM, KNOWN, X, shapes=False),
)
row(
    "XLA",
    right(CUSTOM, SINE, X, xla=True),
    right(CUSTOM, BY_NUMPY, X, order=1),
    wrong("compiled by XLA", CUSTOM, BY_NUMPY, X, order=1, xla=True),
)
row(
    "kinks",
    right(CUSTOM, relu(0.0), KINK),
    right(GRADS, relu(1.0), KINK, **FIRST),
    wrong("something from", GRADS, rule(tf.nn.relu, lambda x, up: up * 2.0), KINK[:1]),
)
row(
    "other batch sizes and shapes",
    right(CUSTOM, rule(double, lambda x, up: tf.reshape(2 * up, [3])), X, shapes=False),
    wrong("shape", CUSTOM, rule(double, lambda x, up: tf.reshape(2 * up, [3])), X),
    right(CUSTOM, add, X, X, shapes=True),
    wrong("shape", CUSTOM, add, X, X, shapes="broadcast"),
)
row(
    "`tf.IndexedSlices`",
    wrong("tf.IndexedSlices", CUSTOM, rule(double, values_alone), X),
    right(CUSTOM, rule(double, lambda x, up: 2.0 * tf.convert_to_tensor(up)), X),
)
row(
    "state shared by calls",
    right(CUSTOM, kept(lambda inputs: inputs[-1]), X),
    wrong("another call", CUSTOM, kept(lambda x: x[-1], True), X, graph=False),
)
row(
    "captured variables",
    right(CUSTOM, of_variable(1.0), ROWS),
    wrong("with respect to Variable", CUSTOM, of_variable(2.0), ROWS),
    wrong("with respect to Variable", GRADS, of_variable(2.0), ROWS),
)
row(
    "another gradient is declared",
    wrong("is right", CUSTOM, THROUGH, X),
    right(CUSTOM, THROUGH, X, like=tf.identity),
    right(CUSTOM, THROUGH, X, vjp=lambda up, x: up),
    wrong("is right", CUSTOM, THROUGH, X, like=tf.square),
)


@pytest.mark.parametrize(
    "check, f, args, options, words",
    [
        pytest.param(*case, id=f"{row}-{n}")
        for row, cases in TABLE.items()
        for n, case in enumerate(cases)
    ],
)
def test_a_row(check, f, args, options, words):
    if not words:
        assert check(f, args, **options).compared
        return
    with pytest.raises(GradientError) as error:
        check(f, args, **options)
    assert words in str(error.value)


def test_advice():
    [advice, *_] = explain(MISSING, X)
    assert "silent_values#no-upstream" in str(advice)


def test_smallest_counterexample():
    large = (np.random.default_rng(0).standard_normal([4, 5]),)
    shown = smallest(MISSING, large)
    assert "x = [[0.]] with upstream = [[2.]]" in shown
    assert "is 1, but 2 is right" in shown
    assert not smallest(SINE, large)
    assert f"Smallest counterexample:\n  {shown}" in text(
        MISSING, large, GradientError("wrong")
    )


def test_the_table_has_a_test_for_each_row():
    readme = (ROOT / "src/vjpcheck/README.md").read_text("utf-8")
    lines = [line for line in readme.splitlines() if line.startswith("| ")][1:]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    rows = [name for name, mine, *_ in cells if mine not in ("", "–", "---")]
    assert rows == [*TABLE, "advice", "smallest counterexample"]
