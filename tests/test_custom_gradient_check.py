"""Promise: ``check_custom_gradient`` and ``check_grads`` do what their docstrings say, and
find what they once missed."""

import random
from collections.abc import Callable
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

import vjpcheck
from vjpcheck import (
    GradientError,
    Undecided,
    check_custom_gradient,
    check_grads,
    core,
    pytest_plugin,
)
from vjpcheck.failure import text

pytestmark = pytest.mark.tools

X = np.array([1.3, -0.7, 0.4])
LABELS = (np.array([[1.0, 2.0, 0.5]]), np.array([[0.0, 1.0, 0.0]]))


def rule(values: Callable, gradient: Callable) -> Callable:
    """Return a function of one input with a custom gradient."""

    @tf.custom_gradient
    def function(x):
        return values(x), lambda upstream: gradient(x, upstream)

    return function


def scaled(factor: float, values: Callable, slope: Callable) -> Callable:
    """Return a function whose gradient is too large by a factor."""
    return rule(values, lambda x, up: factor * up * slope(x))


def clip(up: tf.Tensor) -> tf.Tensor:
    return tf.clip_by_value(tf.convert_to_tensor(up), -0.5, 0.5)


def accepts(f: Callable, *args: object, **options: Any) -> vjpcheck.Result:
    result = check_custom_gradient(f, args, **options)
    assert result.compared
    return result


def refuses(f: Callable, *args: object, match: str = "is right", **options) -> None:
    with pytest.raises(GradientError, match=match):
        check_custom_gradient(f, args, **options)


CUBE = scaled(1.0, lambda x: x**3, lambda x: 3.0 * x**2)
LOG = scaled(1.0, tf.math.log, lambda x: 1.0 / x)
MISSING = rule(tf.sin, lambda x, up: tf.cos(x))
CLIPPED = rule(tf.identity, lambda x, up: clip(up))
NORMED = rule(tf.square, lambda x, up: tf.clip_by_norm(2.0 * up * x, 1.0))
ROOT_OF = rule(tf.sqrt, lambda x, up: up * 0.5002 / tf.sqrt(x))
HALF = scaled(1.0, tf.abs, tf.ones_like)


@tf.custom_gradient
def entropy(logits, labels):
    def grad(upstream):
        return upstream[:, None] * (tf.nn.softmax(logits) - labels), None

    return tf.nn.softmax_cross_entropy_with_logits(labels, logits), grad


@tf.custom_gradient
def determinant(A):
    L = tf.linalg.cholesky(A)
    value = 2.0 * tf.reduce_sum(tf.math.log(tf.linalg.diag_part(L)))
    return value, lambda upstream: upstream * tf.linalg.inv(A)


def symmetric(f: Callable) -> Callable:
    """Return a function that makes a positive definite argument out of any."""
    return lambda A: f(A @ tf.transpose(A) + tf.eye(2, dtype=A.dtype))


def rounded_by(steps: tf.Tensor, x: tf.Tensor) -> tf.Tensor:
    """Round straight through: the gradient of the step isn't the derivative."""
    return steps * (x / steps + tf.stop_gradient(tf.round(x / steps) - x / steps))


@tf.custom_gradient
def quantized(x, step):
    ratio = x / step

    def grad(upstream):
        return upstream, tf.reduce_sum(upstream * (tf.round(ratio) - ratio))

    return step * tf.round(ratio), grad


@pytest.mark.parametrize(
    "function, args, right, wrong",
    [
        (CLIPPED, (X,), {"vjp": lambda up, x: clip(up)}, {}),
        (CLIPPED, (X,), {"vjp": lambda up, x: [clip(up)]}, {"vjp": lambda up, x: up}),
        (NORMED, (X,), {"vjp": lambda up, x: tf.clip_by_norm(2 * up * x, 1.0)}, {}),
        (quantized, (X, np.float64(0.5)), {"like": lambda x, s: rounded_by(s, x)}, {}),
        (HALF, (np.abs(X),), {"where": lambda x: x > 0}, {}),
        (lambda x: entropy(x, LABELS[1]), LABELS[:1], {"shapes": False}, None),
        (symmetric(determinant), (np.eye(2) * [[2.0]],), {}, None),
        (ROOT_OF, (np.abs(X),), {"rtol": 1e-3}, {}),
    ],
)
def test_options(function, args, right, wrong):
    accepts(function, *args, **right)
    if wrong is not None:
        refuses(function, *args, match="", **wrong)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"rtol": 0.5}, "proves nothing"),
        ({"where": lambda x: x.missing}, "missing"),
        ({"where": lambda x: x < 0}, "the arguments themselves"),
        ({"like": tf.sin, "vjp": lambda up, x: up}, "not both"),
        ({"shapes": "all"}, "shapes must be"),
        ({"order": 3}, "order must be"),
        ({"order": 0}, "order must be"),
    ],
)
def test_an_option_that_cannot_be_used(options, message):
    with pytest.raises(ValueError, match=message):
        check_custom_gradient(CUBE, (np.abs(X),), **options)


def test_an_unknown_option_is_an_error():
    for check in (check_custom_gradient, check_grads):
        with pytest.raises(TypeError, match="shape"):
            check(CUBE, (X,), shape=True)  # type: ignore[call-arg]
    for order, modes in ((0, ["rev"]), (1, ["back"]), (1, [])):
        with pytest.raises(ValueError, match="order must be"):
            check_grads(CUBE, (X,), order, modes)
    with pytest.raises(ValueError, match="real"):
        check_grads(tf.square, (np.array([1 + 2j]),), modes=["fwd"])


@pytest.mark.parametrize("exponent", [-12, -6, 0, 6, 12])
def test_steps_scale_with_the_input(exponent):
    x = np.array([2.0, 3.0]) * 10.0**exponent
    accepts(LOG, x)
    refuses(scaled(1.001, tf.math.log, lambda x: 1.0 / x), x)


def test_a_derivative_near_1e_10_is_no_excuse():
    for factor, check in ((1.0, accepts), (2.5, refuses)):
        check(scaled(factor, lambda x: 1e-10 * x**2, lambda x: 2e-10 * x), X)


def test_structures_variables_and_dtypes():
    w = tf.Variable([2.0, 3.0])

    def weighted(factor):
        @tf.custom_gradient
        def function(parts, power):
            def grad(up, variables=None):
                a, b = parts["a"], parts["b"]
                by_parts = {"a": up * w * b, "b": up * w * a}
                return (by_parts, None), [factor * up * a * b]

            return w * parts["a"] * parts["b"], grad

        return function

    parts = {"a": tf.constant([1.0, 2.0]), "b": np.array([0.5, 3.0], np.float32)}
    assert accepts(weighted(1.0), parts, 3, shapes=False).dtypes == {"float32"}
    refuses(weighted(2.0), parts, 3, match="respect to .*Variable.* is")
    assert w.numpy().tolist() == [2.0, 3.0]
    assert accepts(CUBE, tf.Variable([1.5])).dtypes == {"float32", "float64"}


def test_the_result_says_how_much_was_compared():
    result = accepts(CUBE, tf.constant([1.3, -0.7]))
    assert result.points > 5 and result.shapes == 3 and result.compared > 20
    assert result.dtypes == {"float32", "float64"}
    assert result.graph and not result.slices and result.order == 2
    assert not result.kinks and not result.unsettled
    assert accepts(CLIPPED, X, vjp=lambda up, x: clip(up)).slices
    once = rule(tf.sin, lambda x, up: tf.stop_gradient(up * tf.cos(x)))
    assert accepts(once, X).order == 1
    assert not accepts(CUBE, X, graph=False).graph
    assert accepts(CUBE, X, shapes=True).shapes == 4
    kinked = rule(tf.nn.relu, lambda x, up: up * tf.cast(x > 0, x.dtype))
    assert accepts(kinked, np.array([0.0, 1.0])).kinks
    assert check_grads(CUBE, (X,), order=3, modes=["rev"]).order == 3


@pytest.mark.parametrize("name", ["flat", "unflat"])
def test_a_fault_of_the_checker_surfaces(monkeypatch, name):
    """It neither ends a domain nor passes for a wrong gradient."""
    function, calls = getattr(core, name), []

    def faulty(*arguments):
        calls.append(1)
        if len(calls) > 20:
            raise TypeError("planted")
        return function(*arguments)

    monkeypatch.setattr(core, name, faulty)
    with pytest.raises(TypeError, match="planted"):
        check_custom_gradient(CUBE, (X,))


def rough(x):
    """A function with noise that no step is long or short enough for."""
    return x + 0.01 * tf.sin(1e9 * x)


@pytest.mark.parametrize(
    "f, args",
    [
        (CUBE, (np.zeros([2, 0]),)),
        (tf.sin, (3,)),
        (tf.sin, (np.array([1]),)),
        (lambda x: (), (X,)),
        (lambda x: tf.shape(x), (X,)),
        (lambda x: tf.reshape(x, [7]), (X,)),
    ],
)
def test_too_little_to_compare_is_undecided(f, args):
    for check in (check_custom_gradient, check_grads):
        with pytest.raises(Undecided):
            check(f, args)


def test_finite_differences_that_determine_nothing_are_no_proof():
    rough = lambda x: x + 0.01 * tf.sin(1e9 * x)  # noqa: E731
    refuses(rule(rough, lambda x, up: up), X, match="")
    with pytest.raises(Undecided, match="not all values are finite"):
        check_grads(tf.math.log, (-np.abs(X),))


# The faults of the first version, and their relatives.

PRODUCT = {
    "an integer": 3,
    "a bool": True,
    "a NumPy bool": np.bool_(True),
    "a string": "mean",
    "None": None,
    "integers": np.array([0, 1]),
    "a ragged tensor": tf.ragged.constant([[1, 2], [3]]),
}


@pytest.mark.parametrize("other", PRODUCT.values(), ids=PRODUCT)
def test_a_failure_with_an_argument_that_is_no_float(other):
    def f(x, other):
        return MISSING(x)

    with pytest.raises(GradientError) as error:
        pytest_plugin.check(0, f, (X, other))
    assert "silent_values#no-upstream" in str(error.value)


@pytest.mark.parametrize("size", [4, 100])
def test_arguments_from_a_common_generator(size):
    """The direction of a difference must not be that of the arguments."""
    zero = rule(lambda x: x / tf.norm(x), lambda x, up: tf.zeros_like(x))
    for seed in (0, 1):
        refuses(zero, np.random.default_rng(seed).standard_normal(size), seed=seed)


def off(factor: float | tf.Tensor) -> Callable:
    """Return the sine, with a gradient that is wrong by a factor, or by one each."""
    return scaled(1.0, tf.sin, lambda x: tf.cast(factor, x.dtype) * tf.cos(x))


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64])
def test_the_tolerance_does_not_grow_with_the_size(dtype):
    for size in (1000, 30_000):
        x = tf.random.stateless_normal([size], [1, 2], dtype=dtype)
        one_of_all = tf.one_hot(7, size, 2.0, 1.0, dtype=tf.float64)
        for factor in (1.001, one_of_all):
            refuses(off(factor), x, graph=False, shapes=False)
        with pytest.raises(GradientError):
            check_grads(off(1.01), (x,), order=1, modes=["rev"])


@pytest.mark.slow
def test_one_of_a_million():
    factors = tf.one_hot(7, 1_000_000, 2.0, 1.0, dtype=tf.float64)
    refuses(off(factors), tf.random.stateless_normal([1_000_000], [1, 2]), graph=False)


def test_sparse_gradients():
    @tf.custom_gradient
    def rows(table):
        ids, shape = tf.constant([0, 2]), tf.shape(table)
        return tf.gather(table, ids), lambda up: tf.IndexedSlices(up, ids, shape)

    for shapes in (None, True, "broadcast"):
        accepts(rows, np.ones([3, 2]), shapes=shapes)
    assert check_grads(lambda x: tf.gather(x, [0, 2]) ** 2, (np.ones([3, 2]),)).compared


def test_second_order_of_valid_matrices():
    for f in (tf.linalg.cholesky, tf.linalg.logdet):
        assert accepts(symmetric(f), np.array([[2.0, 0.3], [0.1, 1.0]])).order == 2


def test_state_is_restored_after_an_error():
    calls = tf.Variable(0.0, trainable=False)

    def breaking(x):
        calls.assign_add(1.0)
        raise ValueError("too small")

    with pytest.raises(Undecided, match="too small"):
        check_custom_gradient(breaking, X)
    assert calls.numpy() == 0


def test_state_is_restored():
    """Random numbers, and variables that the forward pass writes."""
    own, of_numpy = tf.random.Generator.from_seed(1), np.random.default_rng(1)
    dropout = keras.layers.Dropout(0.5, seed=1)
    mean = tf.Variable(0.0, trainable=False)

    @tf.custom_gradient
    def noisy(x):
        kept = tf.reduce_sum(dropout(tf.ones([8]), training=True))
        of_tensorflow = tf.random.normal([]) + own.normal([]) + kept
        of_python = of_numpy.normal() + np.random.normal() * random.random()
        factor = tf.cast(of_tensorflow + of_python, x.dtype)
        mean.assign(0.9 * mean + 0.1)
        return factor * x, lambda upstream: factor * upstream

    def state():
        variables = own.state, *dropout.variables, mean
        values = [each.numpy().tolist() for each in variables]
        return values, of_numpy.bit_generator.state, random.getstate()

    noisy(tf.constant(X))
    tf.random.set_seed(7)
    first, before = float(tf.random.normal([])), state()
    accepts(noisy, X[:1], graph=False, shapes=False, order=1)
    assert state() == before
    assert float(tf.random.normal([])) == first


@pytest.mark.parametrize("seed", range(5))
def test_extreme_and_tied_arguments_are_always_tried(seed):
    """The first is TensorFlow's own example, without its custom gradient."""
    naive = rule(tf.nn.softplus, lambda x, up: up * tf.exp(x) / (1 + tf.exp(x)))
    is_largest = lambda x: tf.cast(x == tf.reduce_max(x), x.dtype)  # noqa: E731
    ties = rule(tf.reduce_max, lambda x, up: up * is_largest(x))
    refuses(naive, X, seed=seed, match="nan")
    refuses(ties, X, seed=seed)


def test_a_failure_says_nothing_that_the_options_contradict():
    """If the gradient of rounding is declared, the derivative, 0, isn't the answer."""
    half = rule(tf.round, lambda x, up: up / 2)
    error = GradientError("wrong")
    declared = text(half, (X,), error, like=tf.identity)
    assert "but 0 is right" not in declared and "is 0.5 times the right one" in declared
    assert "but 0 is right" in text(half, (X,), error)


def test_the_public_names():
    verbs = {"check_grads", "check_custom_gradient", "explain"}
    assert {*dir(vjpcheck)} == verbs | {"Result", "GradientError", "Undecided"}
    assert issubclass(Undecided, GradientError) and issubclass(
        GradientError, AssertionError
    )
