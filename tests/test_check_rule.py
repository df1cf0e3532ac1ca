"""Promise: ``vjpcheck.check_rule`` gives readers the checker of this site."""

import random
import subprocess
import sys
import time

import numpy as np
import pytest
import tensorflow as tf

from vjpcheck import check_rule, directions
from vjpcheck.function import call_of

from .project import ROOT

pytestmark = pytest.mark.tools


def rule(values, gradient):
    """A function of one input with a gradient of its own."""

    @tf.custom_gradient
    def function(x):
        return values(x), lambda upstream: gradient(x, upstream)

    return function


def scaled(factor, values, slope):
    return rule(values, lambda x, upstream: upstream * factor * slope(x))


# Of each kind the right rule or its options, and a wrong one, or wrong options.
CUBE = scaled(1.0, lambda x: x**3, lambda x: 3.0 * x**2)
ROUND = rule(tf.round, lambda x, upstream: upstream)
CLIPPED = rule(tf.identity, lambda x, up: clip(tf.convert_to_tensor(up)))
PARTS_CLIPPED = rule(tf.identity, lambda x, up: clip(up))
NORMED = rule(tf.square, lambda x, up: tf.clip_by_norm(up * 2.0 * x, 1.0))
ONCE = rule(tf.sin, lambda x, up: up * tf.stop_gradient(tf.cos(x)))
NEVER = rule(tf.sin, lambda x, up: tf.stop_gradient(up * tf.cos(x)))
HALF_ONCE = rule(tf.square, lambda x, up: up * (x + tf.stop_gradient(x)))
SINE = rule(tf.sin, lambda x, up: up * tf.cos(x))
ROOT_OF = rule(tf.sqrt, lambda x, up: up * 0.5002 / tf.sqrt(x))
EAGER = rule(tf.square, lambda x, up: tf.constant(2.0 * up.numpy() * x.numpy()))
HALF = scaled(1.0, tf.abs, lambda x: tf.ones_like(x))
SUMMED = rule(lambda x: 2.0 * x, lambda x, up: tf.reshape(2.0 * up, [3]))


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


X = np.array([1.3, -0.7, 0.4])
LABELS = (np.array([[1.0, 2.0, 0.5]]), np.array([[0.0, 1.0, 0.0]]))
SYMMETRIC = {"A": lambda A: A @ tf.transpose(A) + tf.eye(2, dtype=A.dtype)}


def clip(upstream, *_):
    return tf.clip_by_value(upstream, -0.5, 0.5)


@pytest.mark.parametrize(
    "function, inputs, right, wrong",
    [
        (ROUND, (X,), {"gradient_of": tf.identity}, {}),
        (ROUND, (X,), {"gradient_of": tf.identity}, {"gradient_of": tf.square}),
        (CUBE, (X,), {}, {"gradient_of": lambda x: x**3}),
        (CLIPPED, (X,), {"upstream_becomes": clip}, {}),
        (
            CLIPPED,
            (X,),
            {"upstream_becomes": clip},
            {"upstream_becomes": lambda u, *_: tf.tanh(u)},
        ),
        (
            PARTS_CLIPPED,
            (X,),
            {"upstream_becomes": clip, "dense_upstream": True},
            {"upstream_becomes": clip},
        ),
        (
            NORMED,
            (X,),
            {"downstream_becomes": lambda d, *_: tf.clip_by_norm(d, 1.0)},
            {},
        ),
        (HALF, (np.abs(X),), {"where": lambda x: x > 0}, {"shapes": True}),
        (SUMMED, (X,), {}, {"shapes": True}),
        (entropy, LABELS, {"no_gradient": ["labels"]}, {}),
        (determinant, (np.eye(2) * [[2.0]],), {"make": SYMMETRIC}, {}),
        (ROOT_OF, (np.abs(X),), {"within": 1e-3}, {}),
        (EAGER, (X.astype("float32"),), {"eager_only": True}, {}),
        (CUBE, (X,), {}, {"eager_only": True}),
        (SINE, (X,), {"second_order": True}, {"gradient_of": tf.cos}),
        (ONCE, (X,), {"second_order": False}, {}),
        (HALF_ONCE, (X,), {"second_order": False}, {}),
        (NEVER, (X,), {}, {"second_order": True}),
    ],
)
def test_options_say_what_a_rule_is_meant_to_be(function, inputs, right, wrong):
    assert check_rule(function, *inputs, **right).slopes
    with pytest.raises(AssertionError):
        check_rule(function, *inputs, **wrong)


@pytest.mark.parametrize("exponent", range(-12, 13, 3))
def test_steps_scale_with_the_input(exponent):
    x = np.array([2.0, 3.0]) * 10.0**exponent
    values, slope = tf.math.log, lambda x: 1.0 / x
    check_rule(scaled(1.0, values, slope), x, where=lambda x: x > 0)
    for factor in (2.5, 1.001):
        with pytest.raises(AssertionError, match=r"but .* is right"):
            check_rule(scaled(factor, values, slope), x, where=lambda x: x > 0)


@pytest.mark.parametrize(
    "values, slope, x",
    [
        (lambda x: 1e-10 * x**2, lambda x: 2e-10 * x, X),
        (tf.sigmoid, lambda x: tf.sigmoid(x) * tf.sigmoid(-x), np.array([22.0])),
        (tf.exp, tf.exp, np.array([-22.0])),
    ],
)
def test_a_slope_near_1e_10_is_no_excuse(values, slope, x):
    check_rule(scaled(1.0, values, slope), x)
    with pytest.raises(AssertionError, match="is right"):
        check_rule(scaled(2.5, values, slope), x)


def test_structures_variables_and_dtypes():
    w = tf.Variable([2.0, 3.0])

    @tf.custom_gradient
    def weighted(parts, power):
        def grad(up, variables=None):
            a, b = parts["a"], parts["b"]
            by_parts = {"a": up * w * b, "b": up * w * a}
            return (by_parts, None), [up * a * b * factor]

        return w * parts["a"] * parts["b"], grad

    parts = {"a": tf.constant([1.0, 2.0]), "b": np.array([0.5, 3.0], np.float32)}
    factor = 1.0
    assert check_rule(weighted, parts, 3).precisions == {"float32"}
    assert w.numpy().tolist() == [2.0, 3.0]
    factor = 2.0
    with pytest.raises(
        AssertionError, match=r"the gradient with respect to .*Variable.* is"
    ):
        check_rule(weighted, parts, 3)
    assert w.numpy().tolist() == [2.0, 3.0]
    assert check_rule(CUBE, tf.Variable([1.5])).precisions == {"float32", "float64"}


def test_the_report_says_how_much_was_compared():
    report = check_rule(CUBE, tf.constant([1.3, -0.7]))
    assert report.points == 5
    assert report.slopes == 2 + 4  # each number, then mixtures
    assert report.precisions == {"float32", "float64"}
    assert report.graph and report.second and not report.shapes
    assert check_rule(CUBE, X, shapes=True).shapes
    kinked = rule(tf.nn.relu, lambda x, up: up * tf.cast(x > 0, x.dtype))
    assert check_rule(kinked, np.array([0.0, 1.0])).kinks


def test_the_message_names_input_point_and_numbers():
    wrong = scaled(1.5, lambda x: x**3, lambda x: 3.0 * x**2)
    with pytest.raises(AssertionError) as told:
        check_rule(wrong, np.array(2.0))
    said = str(told.value)
    assert said.startswith("at x = 2. with upstream = ")
    upstream = float(said.partition("upstream = ")[2].partition(":")[0])
    _, _, numbers = said.partition("the gradient with respect to x is ")
    got, _, right = numbers.partition(", but ")
    assert float(got) == pytest.approx(18.0 * upstream, rel=1e-3)
    assert float(right.split()[0]) == pytest.approx(12.0 * upstream, rel=1e-3)


@pytest.mark.parametrize(
    "options, said",
    [
        ({"no_gradient": ["y"]}, "no input is 'y'; there are: x"),
        ({"make": {"y": lambda x: x}}, "no input is y"),
        ({"within": 0.5}, "too wide"),
        ({"where": lambda x: x.missing}, "missing"),
    ],
)
def test_impossible_options_are_no_verdict(options, said):
    with pytest.raises(ValueError, match=said):
        check_rule(CUBE, X, **options)


def test_a_function_without_a_rule_or_without_a_slope():
    with pytest.raises(AssertionError, match="no output can have a gradient"):
        check_rule(CUBE, 3)
    with pytest.raises(AssertionError, match="no output can have a gradient"):
        check_rule(lambda x: tf.shape(x), X)
    assert check_rule(lambda x: tf.sin(x), X).points == 5


@pytest.mark.parametrize("take", ["pop", "last", "own"])
def test_a_rule_that_depends_on_the_order_of_calls(take):
    """Right at each call by itself, and where calls are walked back in reverse."""
    kept = []

    @tf.custom_gradient
    def square(x):
        kept.append(x)

        def grad(upstream):
            taken = {"pop": kept.pop, "last": lambda: kept[-1], "own": lambda: x}
            return upstream * 2.0 * taken[take]()

        return x * x, grad

    if take == "own":
        assert check_rule(square, X).points == 5
    else:
        with pytest.raises(AssertionError, match="depends on the order of calls"):
            check_rule(square, X)


def test_no_generator_is_moved():
    @tf.custom_gradient
    def dropout(x):
        kept = tf.cast(tf.random.uniform(x.shape) < 0.5, x.dtype)
        kept *= np.random.random() * random.random()
        return kept * x, lambda upstream: kept * upstream

    def draw(between):
        tf.random.set_seed(7)
        np.random.seed(7)
        random.seed(7)
        first = tf.random.uniform([]), np.random.random(), random.random()
        between()
        again = tf.random.uniform([]), np.random.random(), random.random()
        return [float(each) for each in (*first, *again)]

    for function in (dropout, CUBE):
        assert draw(lambda: None) == draw(lambda f=function: check_rule(f, X))


@pytest.mark.parametrize("name", ["flat", "unflat"])
@pytest.mark.parametrize("error", [TypeError, ValueError, RuntimeError])
def test_a_fault_of_the_checker_surfaces(monkeypatch, name, error):
    """It neither ends a domain nor passes for a rule that is wrong."""
    right, calls = getattr(directions, name), []

    def faulty(*arguments):
        calls.append(1)
        if len(calls) > 20:
            raise error("planted")
        return right(*arguments)

    monkeypatch.setattr(directions, name, faulty)
    with pytest.raises(error, match="planted"):
        check_rule(CUBE, X)


def test_what_differences_do_not_tell_is_bounded():
    def rough(x):  # noise that no step is long or short enough for
        return x + 0.01 * tf.sin(1e9 * x)

    # A wrong rule, too, which no difference contradicts.
    function = rule(
        lambda x: tf.stack([rough(x[0]), x[1]]),
        lambda x, up: up * tf.constant([7.0, 1.0], x.dtype),
    )
    with pytest.raises(AssertionError, match=r"no derivative|don't determine|is right"):
        check_rule(function, np.array([1.0, 2.0]))


def test_a_graph_for_another_shape_pays_for_itself():
    """The first is made at once. Another must not cost more than it can save."""
    traced = []

    def passes(tensors):
        is_traced = tf.inside_function()
        traced.extend([tensors[0].shape.as_list()] * is_traced)
        end = time.process_time() + (0.2 if is_traced else 0.02)
        while time.process_time() < end:
            pass
        return tensors

    function = call_of(tf.sin, tf.sin, (X,), {})
    function.noisy = False
    for shape, calls, expected in (
        ([3], 2, [[3]]),
        ([5], 4, [[3]]),
        ([5], 12, [[3], [5]]),
        ([3], 2, [[3], [5]]),
    ):
        for _ in range(calls):
            function._soon(0.001, passes, [tf.ones(shape)])
        assert traced == expected


def test_it_needs_numpy_and_tensorflow_alone():
    """And no other package of this site; its import alone needs not even those."""
    program = """
import sys

import vjpcheck

assert not {"tensorflow", "numpy"} & sys.modules.keys()


class Refuse:
    def find_spec(self, name, path=None, target=None):
        unwanted = ("mkdocs", "sympy", "bs4", "jinja2", "mathml", "reader", "tracebook", "truth")
        if name.partition(".")[0] in unwanted:
            raise ImportError(f"{name} is not wanted")


sys.meta_path.insert(0, Refuse())
import numpy as np
import tensorflow as tf


@tf.custom_gradient
def cube(x):
    return x**3, lambda upstream: upstream * 3.0 * x**2


before = sorted(sys.modules)
print(vjpcheck.check_rule(cube, np.array([1.3])).points)
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT / "src",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "5\n", done.stderr


@pytest.mark.tools(False)
def test_the_page_shows_a_test_that_holds():
    """The engine hides truth from fences; here the fence runs as it stands."""
    page = (ROOT / "docs/guide/checking.md").read_text("utf-8")
    [fence] = [
        part.partition("\n```")[0]
        for part in page.split("```{.python notest")[1:]
        if "from vjpcheck import check_rule" in part
    ]
    names: dict = {}
    exec(fence.partition("\n")[2], names)
    tests = [each for name, each in names.items() if name.startswith("test_")]
    assert len(tests) == 2
    for test in tests:
        test()
