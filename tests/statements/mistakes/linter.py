"""What the linter looks at."""

import ast
import inspect
from pathlib import Path

from truth.statements.tries import *
from vjpcheck import explain, linter

SNIPPETS = Path(__file__).parents[3] / "snippets/mistakes/linter"

SOURCE = (SNIPPETS / "wrong/explain.py").read_text("utf-8")


def rule(values, gradient):
    @tf.custom_gradient
    def function(x):
        return values(x), lambda upstream: gradient(x, upstream)

    return function


@tf.custom_gradient
def consuming(x):
    kept = [x]
    return x**2, lambda upstream: upstream * 2.0 * kept.pop()


@tf.custom_gradient
def with_global(x):
    global SCALE
    SCALE = float("2")
    return SCALE * x, lambda upstream: SCALE * upstream


# Of each thing that it looks at, a rule with this mistake, and the word for it.
LOOKS = {
    "count": (rule(tf.sin, lambda x, up: (up, up)), "returns 2 gradients"),
    "shape": (rule(tf.sin, lambda x, up: tf.reduce_sum(up)), "has the shape"),
    "dtype": (rule(tf.identity, lambda x, up: tf.cast(up, tf.float64)), "float64"),
    "upstream": (
        rule(tf.sin, lambda x, up: tf.cos(x)),
        "doesn't depend on upstream",
    ),
    "differences": (rule(tf.sin, lambda x, up: up * x), "check_rule"),
    "graph": (rule(tf.sin, lambda x, up: up * np.cos(x)), "inside tf.function"),
    "vectorized": (rule(tf.identity, lambda x, up: -up), "tf.vectorized_map"),
    "slices": (
        rule(tf.sin, lambda x, up: 2.0 * up * tf.cos(x) / 2.0),
        "behind tf.gather, upstream is IndexedSlices",
    ),
    "twice": (rule(tf.sin, lambda x, up: up * np.cos(x)), "second derivative"),
    "large": (
        rule(tf.nn.softplus, lambda x, up: up * tf.exp(x) / (1 + tf.exp(x))),
        "at 10000",
    ),
    "again": (rule(lambda x: x + tf.random.normal([]), lambda x, up: up), "two calls"),
    "repeated": (consuming, "a second backward pass of the same call"),
    "globals": (with_global, "sets the global variable SCALE"),
}


@says(
    "`explain` finds many …",
    "You pass a …",
    "It counts the …",
    "It changes the …",
    "It calls `check_rule` …",
    "It runs the …",
    "It applies `tf.gather` …",
    "It differentiates twice, …",
    "It looks for global variables …",
)
@over(look=LOOKS)
def test_what_it_looks_at(look):
    function, word = look
    said = " ".join(map(str, explain(function, tf.constant([0.7, -1.3]))))
    assert word in said, said
    source = inspect.getsource(linter)
    assert "jit_compile=True" in source and "(0.0, 1e-30, 1e4, 1e30, -1e4)" in source


@says(
    "The elements of …",
    "There are two …",
    "The gradient function …",
    "The test expects …",
    "The attribute `entry` …",
    "If your gradient …",
    was="'expects one mistake': explain reports two, and the test reads the first",
)
def test_two_kinds():
    square = rule(lambda x: x * x, lambda x, up: 2.0 * x)
    [advice, *more] = explain(square, tf.constant([0.7, -1.3]))
    assert any(each.is_mistake for each in more)
    assert type(advice).__name__ == "Advice"
    assert advice.is_mistake and advice.entry == "silent_values#no-upstream"
    through = rule(tf.round, lambda x, up: up)
    [wrong, *_] = explain(through, 0.7)
    assert wrong.is_mistake and str(wrong).startswith("mistake:")
    told = explain(through, 0.7, gradient_of=tf.identity)
    assert all(str(each).startswith("limit:") for each in told)


@says("It checks a …")
def test_the_short_version():
    tree = ast.parse(SOURCE)
    imported = [ast.unparse(each) for each in tree.body if isinstance(each, ast.Import)]
    assert imported == ["import numpy as np", "import tensorflow as tf"]
    [explain, *_] = [each for each in tree.body if isinstance(each, ast.FunctionDef)]
    assert [each.arg for each in explain.args.args] == ["function", "x"]


@says(
    "Deliberately wrong: six custom …",
    "TensorFlow warns of …",
    "The program calls …",
    "The short `explain` …",
)
def test_its_program():
    lines = [each.text for each in trace("wrong/explain.py")]
    assert len(lines) == 7
    assert sum("nothing found" not in each for each in lines) == 6
    assert [each for each in lines if "nothing found" in each] == lines[:1]
    assert lines[0].startswith("right: ")


definition(
    "A mistake is …",
    "A limit is …",
    "What is wrong …",
)
pointer(
    "`explain` makes these …",
    "Checking a custom gradient describes how …",
    "What the linter …",
    "If you can't …",
    "It compares the gradient with finite differences along …",
    "Checking a custom gradient describes what …",
)
