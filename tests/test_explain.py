"""Promise: ``vjpcheck.explain`` finds the mistakes of the catalogue, and none in a right
gradient."""

import re

import numpy as np
import pytest
import tensorflow as tf

from vjpcheck import explain

from .project import ROOT

pytestmark = pytest.mark.tools

VECTORIZED = "silent_systems#vectorized-map"
K = tf.constant(2.0)
W = tf.Variable(2.0)


def rule(values, gradient):
    """A function of one input with a gradient of its own."""

    @tf.custom_gradient
    def function(x):
        return values(x), lambda upstream: gradient(x, upstream)

    return function


def pair(values, gradients):
    @tf.custom_gradient
    def function(x, y):
        return values(x, y), lambda upstream: gradients(x, y, upstream)

    return function


@tf.custom_gradient
def no_place(x):
    return W * x, lambda upstream: upstream * W


@tf.custom_gradient
def closed(x):
    return K * x, lambda upstream: upstream * K


@tf.custom_gradient
def no_list(x):
    return W * x, lambda upstream, variables=None: (upstream * W, [])


@tf.custom_gradient
def one_upstream(x):
    return (x, 2.0 * x), lambda upstream: upstream


@tf.custom_gradient
def swapped(x):
    return lambda upstream: 2.0 * upstream, 2.0 * x


@tf.custom_gradient
def alone(x):
    return 2.0 * x


def in_numpy(x, upstream):
    return tf.numpy_function(lambda u, x: u * np.cos(x), [upstream, x], tf.float32)


def printing(x, upstream):
    print(f"upstream = {upstream}")
    return upstream * tf.cos(x)


def noisy(x):
    return x + 0.0 * tf.random.normal([]) + tf.random.normal([])


def consuming():
    @tf.custom_gradient
    def function(x):
        kept = [x]
        return x**2, lambda upstream: upstream * 2.0 * kept.pop()

    return function


X, ROW = np.float32(0.7), np.array([0.7, -1.3], np.float32)
MATRIX = np.array([[0.7, -1.3], [2.0, 0.4]], np.float32)
CUBE = rule(lambda x: x**3, lambda x, up: up * 3.0 * x**2)


def clip(up):
    return tf.clip_by_value(tf.convert_to_tensor(up), -0.5, 0.5)


CLIPPED = rule(tf.identity, lambda x, up: clip(up))
WRONG = {
    "counts#one-gradient-short": (
        pair(lambda x, y: x * y, lambda x, y, up: up * y),
        (X, X),
    ),
    "counts#no-rule-returned": (alone, (X,)),
    "counts#unsupported-callable": (swapped, (X,)),
    "counts#one-upstream-for-two-outputs": (one_upstream, (X,)),
    "variables#must-accept-variables": (no_place, (X,)),
    "variables#for-each-variable": (no_list, (X,)),
    "types#double-against-float": (
        rule(tf.identity, lambda x, up: tf.cast(up, tf.float64)),
        (X,),
    ),
    "silent_values#broadcast-shape": (
        pair(lambda x, y: x * y, lambda x, y, up: (up * y, up * x)),
        (X, ROW),
    ),
    "silent_values#no-upstream": (rule(lambda x: x**2, lambda x, up: 2.0 * x), (X,)),
    "index#wrong-number": (rule(tf.sin, lambda x, up: up * tf.sin(x)), (X,)),
}


@tf.custom_gradient
def itself(x):
    """The exponential, whose gradient function calls it."""
    return tf.exp(x), lambda upstream: upstream * itself(x)


LIMITS = {
    "orders#nested-out-of-scope": (itself, (ROW,)),
    "silent#closed-over": (closed, (X,)),
    "silent#printed-once": (rule(tf.sin, printing), (X,)),
    "graphs#xla-pyfunc": (rule(tf.sin, in_numpy), (X,)),
    "orders#only-a-number": (rule(tf.sin, in_numpy), (X,)),
    "sparse#times-float": (
        rule(lambda x: x**2, lambda x, up: (2.0 * up + 0.0 * x) * x),
        (ROW,),
    ),
    "index#nan": (rule(tf.identity, lambda x, up: up * (1 + x**4) / (1 + x**4)), (X,)),
    "silent_systems#recomputed-dropout": (rule(noisy, lambda x, up: up), (X,)),
}


def of_sine(change):
    return rule(tf.sin, lambda x, up: change(up) * tf.cos(x))


def product(gradients):
    return pair(lambda x, y: x * y, gradients)


NAMED = {
    "has the wrong sign": (of_sine(lambda up: -up), (ROW,)),
    "is 2 times the right one": (of_sine(lambda up: 2 * up), (ROW,)),
    "isn't linear in upstream": (of_sine(lambda up: tf.square(up)), (ROW,)),
    "isn't zero if upstream is": (of_sine(lambda up: up + 0.1), (ROW,)),
    "is wrong at 1 of 2 elements": (of_sine(lambda up: up * [1.0, 1.5]), (abs(ROW),)),
    "has no factor x": (rule(lambda x: x**2 / 2, lambda x, up: up), (ROW,)),
    "has an extra factor x": (rule(tf.identity, lambda x, up: up * x), (ROW,)),
    "where the argument is negative": (rule(tf.abs, lambda x, up: up), (ROW,)),
    "is zero or None": (product(lambda x, y, up: (up * y, None)), (ROW, ROW)),
    "is that with respect to y": (
        product(lambda x, y, up: (up * x, up * y)),
        (ROW, ROW[::-1]),
    ),
    "is the transpose": (
        rule(lambda x: x * MATRIX, lambda x, up: tf.transpose(up * MATRIX)),
        (MATRIX,),
    ),
}


@pytest.mark.parametrize("entry", WRONG)
def test_a_mistake_is_named(entry):
    function, inputs = WRONG[entry]
    found = explain(function, inputs)
    assert found and found[0].is_mistake and found[0].entry == entry, found


@pytest.mark.parametrize("words", NAMED)
def test_a_wrong_number_is_named(words):
    function, inputs = NAMED[words]
    found = explain(function, inputs)
    assert any(words in each.text and each.is_mistake for each in found), found


@pytest.mark.parametrize("entry", LIMITS)
def test_a_limit_is_named(entry):
    function, inputs = LIMITS[entry]
    found = explain(function, inputs)
    assert entry in [each.entry for each in found], found
    assert not any(each.is_mistake for each in found), found


@tf.custom_gradient
def in_python(x):
    y = tf.ensure_shape(tf.numpy_function(np.sin, [x], x.dtype), x.shape)
    return y, lambda upstream: upstream * tf.cos(x)


def of_values(x, upstream):
    upstream = getattr(upstream, "values", upstream)
    return upstream * tf.cos(x)


PRODUCT = product(lambda x, y, up: (up * y, up * x))
NEGATIVE = rule(tf.identity, lambda x, up: -tf.convert_to_tensor(up))
STEP = rule(lambda x: tf.cast(x > 0, x.dtype), lambda x, up: up / (1 + x * x))


@pytest.mark.parametrize(
    "function, inputs, options, limits",
    [
        (CUBE, (X,), {}, set()),
        (CUBE, (ROW,), {}, {"sparse#times-float"}),
        (PRODUCT, (ROW, ROW), {}, set()),
        (rule(tf.round, lambda x, up: up), (ROW,), {"like": tf.identity}, {VECTORIZED}),
        (STEP, (ROW,), {"like": tf.atan}, {VECTORIZED}),
        (in_python, (ROW,), {"like": tf.sin}, {VECTORIZED, "graphs#xla-pyfunc"}),
        (NEGATIVE, (ROW,), {"vjp": lambda up, x: -up}, {VECTORIZED}),
        (CLIPPED, (ROW,), {"vjp": lambda up, x: clip(up)}, {VECTORIZED}),
    ],
)
def test_of_a_right_gradient_there_is_no_mistake(function, inputs, options, limits):
    """A declared gradient isn't called wrong, and no second derivative is missed."""
    found = explain(function, inputs, **options)
    assert not any(each.is_mistake for each in found), found
    assert {each.entry for each in found} <= limits, found


def test_none_and_values_of_slices():
    constant = rule(lambda x: 0.0 * x + 1.0, lambda x, up: None)
    assert not any(each.is_mistake for each in explain(constant, ROW))
    [advice] = [
        each for each in explain(rule(tf.sin, of_values), ROW) if each.is_mistake
    ]
    assert "IndexedSlices" in advice.text


def test_state_that_lives_longer_than_a_call():
    [advice] = explain(consuming(), X)
    assert advice.entry == "silent#order-of-calls" and advice.is_mistake
    assert "raises IndexError" in advice.text


@pytest.mark.tools(False)
def test_the_example_of_the_page():
    page = (ROOT / "docs/mistakes/linter.md").read_text("utf-8")
    fence = page.split("```{.python notest}\n")[1].partition("\n```")[0]
    names: dict = {}
    exec(fence, names)
    names["test_square"]()


@pytest.mark.tools(False)
def test_the_short_version_fits_on_a_page():
    text = (ROOT / "snippets/mistakes/linter/wrong/explain.py").read_text("utf-8")
    short = text.partition("[start:explain]\n")[2].partition("\n# --8<--")[0]
    assert len(short.splitlines()) <= 60


@pytest.mark.tools(False)
def test_advice_leads_to_entries_that_are_there():
    files = (ROOT / "src/vjpcheck").glob("*.py")
    source = "".join(path.read_text("utf-8") for path in files)
    named = set(re.findall(r'"(\w+)#([\w-]+)"', source))
    lost = [
        f"{page}#{anchor}"
        for page, anchor in sorted(named)
        if not re.search(
            rf"{{ #{anchor}[ }}]",
            (ROOT / f"docs/mistakes/{page}.md").read_text("utf-8"),
        )
    ]
    assert len(named) > 20 and lost == []
