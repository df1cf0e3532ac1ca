"""Where a gradient that is not what one expects leads."""

import re
from pathlib import Path

from truth.statements.tries import *

ROOT = Path(__file__).parents[3]


@says("The gradient of `tf.sign` …")
@over(mode=MODES, x=numbers())
def test_slopes_of_steps(mode, x):
    assert same(mode.gradient(tf.sign, x), 0.0)
    assert mode.gradient(tf.round, x) is None


@says("It has twelve …")
def test_the_causes():
    page = (ROOT / "docs/mistakes/none.md").read_text("utf-8")
    causes = re.findall(r"^## (\d+)\. ", page, re.MULTILINE)
    assert [*map(int, causes)] == [*range(1, 13)] and len(causes) == 12
    assert "path_ends_in" in page


@says("The index by …")
def test_the_index():
    index = (ROOT / "docs/mistakes/silent.md").read_text("utf-8")
    table = index.partition("{ #symptoms")[2].partition("\n## ")[0]
    for name in ("silent", "silent_values", "silent_systems"):
        page = (ROOT / f"docs/mistakes/{name}.md").read_text("utf-8")
        for anchor in re.findall(r"^## .*\{ #([\w-]+)", page, re.MULTILINE):
            assert anchor == "symptoms" or f"#{anchor})" in table


@says(
    "The heading is …",
    "One line with …",
    "Then come a …",
    "Most entries end …",
)
def test_the_form_of_an_entry():
    page = (ROOT / "docs/mistakes/silent.md").read_text("utf-8")
    first = page.split("\n## ")[3]
    parts = ["**Fix:**", "wrong/", "<!-- modes:", "**Why.**", "prints"]
    parts += ["**Notice", "**Asked"]
    places = [
        first.rindex(each) if each == "prints" else first.index(each) for each in parts
    ]
    assert places == sorted(places)


@says("Your check has …")
def test_check_under_xla():
    @tf.function(jit_compile=True)
    def checked(x):
        return tf.debugging.check_numerics(tf.math.log(x), "log")

    assert np.isnan(checked(tf.constant(-1.0)))


pointer(
    "Find the entry …",
    "If you have …",
    "Otherwise, choose your symptom.",
    "My gradient … …",
    "is `None` — None",
    "is NaN or …",
    "is zero — zero",
    "has the wrong …",
    "is a wrong …",
    "differs between eager …",
    "is too slow, …",
    "Start with My …",
    "These cases have …",
    "In `fit`.",
    "No gradients provided, …",
    "With respect to …",
    "The tape in Keras.",
    "Through a custom gradient.",
    "A captured tensor, …",
    "Through NumPy.",
    "For an integer.",
    "An integer input.",
    "The second derivative.",
    "A decorated gradient …",
    "Find the operation …",
    "A quotient, a …",
    "Numerical stability, the norm.",
    "An output that …",
    "Unused output.",
    "Only the second derivative.",
    "NaN from tf.where.",
    "Under XLA.",
    "`tf.sign` or `tf.round`.",
    "Use the identity …",
    "Through `tf.py_function`.",
    "Zero instead of None.",
    "In `tf.vectorized_map`.",
    "The custom gradient …",
    "Of eigenvectors.",
    "Equal eigenvalues.",
    "The shape of …",
    "Broadcast, and the …",
    "Rows and columns.",
    "A square matrix …",
    "A `tf.IndexedSlices` instead …",
    "Sparse and ragged.",
    "The message names …",
    "Types and dtypes.",
    "First compare with …",
    "It doesn't change …",
    "`upstream` is missing.",
    "Two gradients are swapped.",
    "Two inputs, a …",
    "`grad` isn't called.",
    "Arguments by keyword, …",
    "It changes from …",
    "Dropout, a mask, …",
    "Clipping fails.",
    "It lets larger …",
    "It is complex.",
    "Complex numbers, a …",
    "TensorFlow itself is wrong.",
    "What is broken.",
    "With the tape …",
    "Graphs, XLA and …",
    "A Python number, …",
    "A variable is …",
    "`print` prints once.",
    "If it prints …",
    "After loading a model.",
    "Saving and loading, …",
    "On several devices.",
    "A custom gradient …",
    "Decorating, recomputing a …",
    "Memory grows with …",
    "Graphs of each …",
    "Jacobians and vectorizing.",
)
