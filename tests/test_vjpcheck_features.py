"""Promise: each row of the table in ``src/vjpcheck/README.md`` is true of vjpcheck."""

from collections.abc import Callable

import numpy as np
import pytest
import tensorflow as tf

from vjpcheck import check_custom_gradient, check_grads, explain
from vjpcheck.__main__ import main
from vjpcheck.derivatives import Check, Result
from vjpcheck.directions import Undecided
from vjpcheck.failure import smallest, text

from .project import ROOT

pytestmark = pytest.mark.tools

X = np.array([1.3, -0.7, 0.4])
LAST = np.array([0.0, 0.0, 1e-4])
X32 = tf.constant(X, tf.float32)
TABLE: dict[str, Callable] = {}


def row(name: str) -> Callable:
    """The test of this row."""

    def note(test: Callable) -> Callable:
        TABLE[name] = test
        return test

    return note


def rule(values, gradient) -> Callable:
    """A function of one input with a custom gradient."""

    @tf.custom_gradient
    def function(x):
        return values(x), lambda upstream: gradient(x, upstream)

    return function


SINE = rule(tf.sin, lambda x, up: up * tf.cos(x))
ONCE = rule(tf.sin, lambda x, up: up * tf.stop_gradient(tf.cos(x)))
SLOPE: Callable = rule(tf.cos, lambda x, up: -up * tf.stop_gradient(tf.sin(x)))
TWICE = rule(tf.sin, lambda x, up: up * SLOPE(x))
OFF = rule(tf.sin, lambda x, up: up * (tf.cos(x) + 1e-3))
MISSING = rule(tf.sin, lambda x, up: tf.cos(x))
LOGARITHM = rule(lambda x: tf.math.log(x - 1), lambda x, up: up / (x - 1))


def problems(f, args, check=check_grads, **options):
    return check(f, args, raise_exception=False, **options).problems


def wrong(found, *words):
    assert found
    assert all(word in found[0] for word in words), found[0]


@row("raises an error if a gradient is wrong")
def test_raises():
    check_custom_gradient(SINE, (X,))
    for check in (check_grads, check_custom_gradient):
        with pytest.raises(AssertionError, match="upstream = "):
            check(MISSING, (X,))


@row("result instead of an exception")
def test_result():
    right = check_custom_gradient(SINE, (X,), raise_exception=False)
    assert right
    assert right.compared == 6
    assert right.report.points == 5
    assert not check_custom_gradient(MISSING, (X,), raise_exception=False)


@row("forward mode")
def test_forward():
    assert not problems(SINE, (X,), modes=["fwd"])

    plain = lambda x: tf.ensure_shape(  # noqa: E731
        tf.numpy_function(np.sin, [x], x.dtype), x.shape
    )
    wrong(problems(plain, (X,), modes=["fwd"]), "fwd: ", "derivative")
    # Of a custom gradient, eager forward mode takes the operations inside, if it can.
    assert not problems(rule(plain, lambda x, up: up * tf.cos(x)), (X,), modes=["fwd"])
    wrong(problems(rule(plain, lambda x, up: up * 7.0), (X,), modes=["fwd"]))
    assert not problems(rule(tf.sin, lambda x, up: up * 7.0), (X,), modes=["fwd"])


@row("any order")
def test_order():
    assert not problems(tf.sin, (X[:1],), order=4, modes=["rev"])
    assert not problems(tf.matmul, (np.eye(2), np.ones([2, 1])), order=2)
    assert not problems(ONCE, (X,))
    wrong(problems(ONCE, (X,), order=2), "rev of rev")
    assert not problems(TWICE, (X,), order=2, modes=["rev"])
    wrong(problems(TWICE, (X,), order=3, modes=["rev"]), "rev of rev of rev")


@row("absolute and relative tolerance")
def test_tolerances():
    for check in (check_grads, check_custom_gradient):
        wrong(problems(OFF, (X,), check, modes=["rev"]))
        wrong(problems(OFF, (X,), check, modes=["rev"], rtol=1e-4, atol=1e-5))
        assert not problems(OFF, (X,), check, modes=["rev"], atol=5.0)
    assert not problems(OFF, (X,), modes=["rev"], rtol=1e-2)
    assert not problems(OFF, (X,), modes=["rev"], atol=1e-2)


@row("tolerances for each dtype")
def test_tolerances_by_dtype():
    for name in (tf.float32, np.float32, "float32"):
        assert not problems(OFF, (X32,), modes=["rev"], rtol={name: 1e-2})
        wrong(problems(OFF, (X,), modes=["rev"], rtol={name: 1e-2}))


@row("step")
def test_step():
    rough = lambda x: tf.square(x) + 1e-6 * tf.sin(1e5 * x)  # noqa: E731
    exact = 2.0 * X + 0.1 * np.cos(1e5 * X)
    fine = rule(rough, lambda x, up: up * exact)
    assert not problems(fine, (X,), modes=["rev"], eps=1e-6)
    coarse = rule(rough, lambda x, up: up * 2.0 * x)
    wrong(problems(coarse, (X,), modes=["rev"], eps={"float64": 1e-6}))


@row("step extrapolated to zero")
def test_extrapolated():
    for at in (1e-6, 1e6):  # where one step is too long, or too short
        assert not problems(tf.math.log, (np.array([at]),))
    wrong(problems(rule(tf.math.log, lambda x, up: up / (x * 1.00001)), (X[:1],)))


@row("random upstream gradient")
def test_random():
    for change in (tf.abs, tf.square):
        wrong(problems(rule(tf.sin, lambda x, up: change(up) * tf.cos(x)), (X,)))  # noqa: B023


@row("given upstream gradient")
def test_given_upstream():
    assert not problems(MISSING, (X,), modes=["rev"], upstream=np.ones(3))
    wrong(
        problems(MISSING, (X,), modes=["rev"], upstream=np.array([2.0, 1.0, 1.0])),
        "[2. 1. 1.]",
    )
    with pytest.raises(ValueError, match=r"upstream has the shapes \[\(2,\)\]"):
        check_grads(tf.sin, (X,), upstream=np.ones(2))


@row("given tangent")
def test_given_tangent():
    first = rule(tf.sin, lambda x, up: up * tf.cos(x) * [1.0, 1.0, 2.0])
    assert not problems(first, (X,), modes=["rev"], tangent=np.array([1.0, 2.0, 0.0]))
    wrong(
        problems(first, (X,), modes=["rev"], tangent=np.array([0.0, 0.0, 1.0])),
        "the tangent",
    )


@row("one random direction")
def test_fast():
    large = np.random.default_rng(0).standard_normal([300, 100])
    assert check_grads(tf.reduce_logsumexp, (large,), fast=True).compared == 3
    wrong(problems(MISSING, (large,), check_custom_gradient, fast=True))


@row("every number by itself")
def test_every_number():
    last = rule(tf.sin, lambda x, up: up * (tf.cos(x) + LAST))
    wrong(problems(last, (X,)), "x[2]")
    assert check_grads(tf.sin, (X,), modes=["rev"]).compared == 6


@row("batched backward pass")
def test_batched():
    by_numpy = rule(tf.sin, lambda x, up: tf.constant(up.numpy() * np.cos(x.numpy())))
    assert not problems(SINE, (X,), batched=True)
    assert not problems(by_numpy, (X,), modes=["rev"])
    wrong(problems(by_numpy, (X,), modes=["rev"], batched=True), "vectorized_map")
    # The upstreams of a batch are told apart by more than their rank.
    rank = rule(tf.sin, lambda x, up: up * tf.cos(x) / tf.cast(tf.rank(up), x.dtype))
    assert not problems(rank, (X,), modes=["rev"], batched=True)


@row("repeated backward pass")
def test_repeated():
    noisy = rule(
        tf.sin,
        lambda x, up: up * tf.cos(x) + 1e-8 * tf.random.normal([3], dtype=x.dtype),
    )
    wrong(problems(noisy, (X,), modes=["rev"]), "repeated, the backward pass")
    assert not problems(noisy, (X,), modes=["rev"], nondet_tol=1e-6)


def once(values, gradient, end):
    """A gradient function that consumes what its call kept."""

    @tf.custom_gradient
    def function(x):
        kept = [x]
        return values(x), lambda upstream: upstream * gradient(end(kept))

    return function


def test_a_second_backward_pass():
    right = once(tf.sin, tf.cos, lambda kept: kept[0])
    popped = once(tf.sin, tf.cos, lambda kept: kept.pop())
    changed = once(
        tf.sin, tf.cos, lambda kept: (kept.append(0.0 * kept[-1]), kept[-2])[1]
    )
    for check in (check_grads, check_custom_gradient):
        assert not problems(right, (X,), check, modes=["rev"])
        what = "a second backward pass of the same call"
        found = problems(popped, (X,), check, modes=["rev"])
        wrong(found, f"{what} raises IndexError")
        found = problems(changed, (X,), check, modes=["rev"])
        wrong(found, f"{what} gives")
        assert not problems(popped, (X,), check, modes=["rev"], nondet_tol=None)


def test_a_second_backward_pass_with_a_list_of_all_calls():
    """Leftovers of other calls with the same input could hide it."""
    kept = []

    @tf.custom_gradient
    def stack(x):
        kept.append(x)
        return tf.sin(x), lambda upstream: upstream * tf.cos(kept.pop())

    wrong(problems(stack, (X,), modes=["rev"]), "a second backward pass")


@row("unused outputs")
def test_unused():
    def pair(broken):
        @tf.custom_gradient
        def function(x):
            def grad(one, other):
                both = one * tf.cos(x) + other * 2.0 * x
                is_zero = tf.reduce_all(tf.equal(other, 0.0))
                return tf.where(is_zero & broken, tf.zeros_like(x), both)

            return (tf.sin(x), tf.square(x)), grad

        return function

    assert not problems(pair(False), (X,))
    wrong(
        problems(lambda x: raising(x), (X,), modes=["rev"]), "if only output 0 is used"
    )
    wrong(problems(pair(True), (X,), check_custom_gradient))


@tf.custom_gradient
def raising(x):
    def grad(one, other):
        if not np.any(other):
            raise ValueError("both outputs must be used")
        return one * tf.cos(x) + other * 2.0 * x

    return (tf.sin(x), tf.square(x)), grad


@row("shape and dtype of the gradient")
def test_forms():
    shape = rule(tf.sin, lambda x, up: (up * tf.cos(x))[None])
    wrong(problems(shape, (X,)), "shape (1, 3)", "x has shape (3,)")
    dtype = rule(tf.sin, lambda x, up: tf.cast(up * tf.cos(x), tf.float32))
    wrong(problems(dtype, (X,)), "float32")


@row("complex numbers")
def test_complex():
    z = np.array([1 + 2j, 0.3 - 1j])
    assert not problems(lambda z: z * z * tf.math.conj(z), (z,), order=2)
    holomorphic = rule(tf.square, lambda z, up: up * 2.0 * z)
    wrong(problems(holomorphic, (z,)), "part of x[0]")
    with pytest.raises(ValueError, match="real"):
        check_grads(tf.square, (z,), modes=["fwd"])


@row("structures of inputs")
def test_structures():
    def f(inputs, scale):
        return {"y": inputs["a"] * scale, "z": [inputs["b"] ** 2]}

    inputs = {"a": X, "b": tf.constant(2.0)}
    assert not problems(f, (inputs, 3), order=2)


@row("XLA")
def test_xla():
    assert not problems(SINE, (X,), jit_compile=True)
    by_numpy = rule(
        tf.sin,
        lambda x, up: tf.ensure_shape(
            tf.numpy_function(lambda u, x: u * np.cos(x), [up, x], x.dtype), [3]
        ),
    )
    wrong(problems(by_numpy, (X,), modes=["rev"], jit_compile=True), "compiled by XLA")


@row("progress")
def test_progress(capsys, monkeypatch):
    monkeypatch.setattr("vjpcheck.grads._SECONDS", 0.0)
    for check in (check_grads, check_custom_gradient):
        check(SINE, (X,), progress=True)
        lines = capsys.readouterr().err.splitlines()
        assert lines[2].startswith("vjpcheck: 3 calls in ")
        check(SINE, (X,))
        assert not capsys.readouterr().err


@row("eager against graph")
def test_graph():
    eager = rule(tf.sin, lambda x, up: tf.constant(up.numpy() * np.cos(x.numpy())))
    wrong(problems(eager, (X,), check_custom_gradient), "inside tf.function")
    assert not problems(eager, (X,), check_custom_gradient, eager_only=True)


@row("kinks")
def test_kinks():
    for at_zero in (tf.zeros_like, tf.ones_like):
        relu = rule(
            tf.nn.relu,
            lambda x, up, at_zero=at_zero: (
                up * tf.where(x == 0, at_zero(x), tf.cast(x > 0, x.dtype))
            ),
        )
        assert check_grads(relu, (np.array([0.0, 1.0]),), modes=["rev"]).kinks == 2
    twice = rule(tf.nn.relu, lambda x, up: up * 2.0)
    wrong(problems(twice, (np.zeros(1),)), "something from")


@row("other shapes, broadcasting")
def test_shapes():
    @tf.custom_gradient
    def add(x, y):
        return x + y, lambda upstream: (upstream, upstream)

    assert not problems(add, (X, X), check_custom_gradient)
    wrong(problems(add, (X, X), check_custom_gradient, shapes=True), "shape")


@row("`tf.IndexedSlices`")
def test_slices():
    scaled = rule(
        lambda x: 2.0 * x,
        lambda x, up: tf.reshape(getattr(up, "values", up), tf.shape(x)) * 2.0,
    )
    wrong(problems(scaled, (X,), check_custom_gradient), "tf.IndexedSlices")
    assert not problems(scaled, (X,), check_custom_gradient, dense_upstream=True)


@row("state shared by calls")
def test_state():
    kept = []

    @tf.custom_gradient
    def stack(x):
        kept.append(x)
        return tf.sin(x), lambda upstream: upstream * tf.cos(kept[-1])

    wrong(problems(stack, (X,), check_custom_gradient), "another call")


@row("captured variables")
def test_variables():
    v = tf.Variable([2.0, 3.0, 4.0])

    def times(factor):
        @tf.custom_gradient
        def function(x):
            def grad(upstream, variables=None):
                return upstream * v, [factor * upstream * x]

            return x * v, grad

        return function

    assert not problems(times(1.0), (X32,), check_custom_gradient, modes=["rev", "fwd"])
    wrong(problems(times(2.0), (X32,)), "with respect to Variable")
    assert v.numpy().tolist() == [2.0, 3.0, 4.0]


@row("another gradient is declared")
def test_declared():
    through = rule(tf.round, lambda x, up: up)
    wrong(problems(through, (X,), check_custom_gradient))
    assert not problems(through, (X,), check_custom_gradient, gradient_of=tf.identity)


def test_a_zero_upstream_is_compared_without_atol():
    shifted = rule(tf.identity, lambda x, up: up + 0.01)
    found = problems(shifted, (X,), modes=["rev"], atol=0.1)
    wrong(found, "with upstream = 0, the gradient is [0.01 0.01 0.01], not 0")


def test_outputs_of_another_dtype_close_by_are_not_compared():
    def narrower(x):
        return tf.cast(x, tf.float32) if np.all(x >= 1) else x

    assert check_grads(narrower, (np.ones(1),), raise_exception=False).undecided


def test_forward_mode_of_a_gather():
    assert not problems(lambda x: tf.gather(x, [0, 2]) ** 2, (X,), order=2, fast=True)


def test_what_is_declared_holds_in_both_parts():
    """``check_grads`` runs after ``check_rule``, at its tolerance, and compares no
    gradient that is declared to be missing. The function is off by a thousandth."""

    @tf.custom_gradient
    def loss(x, labels):
        return x * labels, lambda up: (up * labels, None)

    both = (X, X + 1.0)
    wrong(problems(loss, both, check_custom_gradient))
    assert not problems(loss, both, check_custom_gradient, no_gradient=["labels"])
    assert not problems(OFF, (X,), check_custom_gradient, within=0.01)
    wrong(problems(OFF, (X,), check_custom_gradient, within=1e-5))


def test_a_failure_says_nothing_that_the_options_contradict():
    """Half the declared gradient: the derivative of the rounding, 0, isn't the answer."""
    half = rule(tf.round, lambda x, up: up / 2)
    options = {"gradient_of": tf.identity}
    result = check_custom_gradient(half, (X,), raise_exception=False, **options)
    assert result.problems
    assert "finite differences give 0" not in text(half, (X,), result, **options)
    assert "finite differences give 0" in text(half, (X,), result)
    assert not smallest(OFF, (X,), rtol=0.1)
    assert smallest(OFF, (X,))


def test_each_order_and_mode_needs_its_own_differences():
    """Six hundred others don't hide that of one level nothing was determined."""
    check = object.__new__(Check)
    check._result = Result(compared=600, unsettled=32)
    with pytest.raises(Undecided, match="32 of 32"):
        check._demand_enough(16, Result(compared=568))
    check._demand_enough(16, Result(compared=280, unsettled=30))


@row("advice")
def test_advice():
    assert any("silent_values#no-upstream" in str(each) for each in explain(MISSING, X))


@row("smallest counterexample")
def test_smallest():
    large = (np.random.default_rng(0).standard_normal([4, 5]),)
    shown = smallest(MISSING, large)
    assert "x = [[0.]] with upstream = [[2.]]" in shown
    assert "is 1, but finite differences give 2" in shown
    assert not smallest(SINE, large)
    result = check_grads(MISSING, large, raise_exception=False)
    assert f"Smallest counterexample:\n  {shown}" in text(MISSING, large, result)


def test_the_table_has_a_test_for_each_row():
    readme = (ROOT / "src/vjpcheck/README.md").read_text("utf-8")
    lines = [line for line in readme.splitlines() if line.startswith("| ")][2:]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert [cell[0] for cell in cells] == list(TABLE)
    assert all(cell[1] == "yes" for cell in cells)


def test_others_columns_of_tensorflow():
    """Its column, as far as the installed TensorFlow shows it."""
    theoretical, numerical = tf.test.compute_gradient(MISSING, [X32])
    assert (
        theoretical[0].shape == numerical[0].shape == (3, 3)
    )  # it returns, wrong or not
    z = tf.constant([1 + 2j], tf.complex128)
    assert tf.test.compute_gradient(tf.square, [z])[0][0].shape == (2, 2)


def test_options_are_refused():
    for options in ({"order": 0}, {"modes": ["back"]}):
        with pytest.raises(ValueError, match="order must be"):
            check_grads(tf.sin, (X,), **options)
    wrong(problems(lambda x: tf.cast(x, tf.int32), (X,)), "no output")
    wrong(problems(tf.sin, (tf.constant([1]),)), "raises")
    wrong(problems(tf.math.log, (-X,)), "not all values are finite")
    wrong(problems(lambda n: n, (3,)), "raises")
    rough = lambda x: x + 0.01 * tf.sin(1e9 * x)  # noqa: E731
    found = check_grads(rough, (X,), raise_exception=False)
    assert found.undecided or "finite differences give" in found.problems[0]


def test_the_command(capsys):
    here = "tests.test_vjpcheck_features"

    def command(name, *more):
        code = main([f"{here}:{name}", "--args", "[1.0, 2.0]", *more])
        return code, capsys.readouterr()

    code, printed = command("SINE", "--order", "2", "--rtol", "1e-5")
    assert (code, printed.out.partition(";")[0]) == (0, f"{here}:SINE: right")
    assert command("SINE", "--plain", "--dtype", "float32", "--fast")[0] == 0
    code, printed = command("MISSING")
    assert code == 1
    assert "mistakes/silent_values#no-upstream" in printed.out
    assert command("LOGARITHM")[0] == 2  # undecided: it is infinite there
    for words in (["NONE"], ["SINE", "--order", "0"], ["SINE", "--dtype", "foo"]):
        code, printed = command(*words)
        assert (code, printed.err[:9]) == (2, "vjpcheck:")
