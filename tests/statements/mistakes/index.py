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


@says("That page explains …", "Its program prints …")
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
            assert anchor in ("symptoms", "in-short") or f"#{anchor})" in table


@says(
    "The heading is …",
    "The fix follows …",
    "Most entries then …",
    "Many entries also …",
    "Many end with …",
)
def test_the_form_of_an_entry():
    entries = [
        entry
        for path in (ROOT / "docs/mistakes").glob("*.md")
        if path.name != "broken.md"
        for entry in path.read_text("utf-8").split("\n## ")[1:]
        if "**Fix:**" in entry
    ]
    for entry in entries:
        heading, first, *_ = entry.split("\n\n")
        assert "\n" not in heading and first.startswith("**Fix:**"), heading

    def share(*parts):
        """How many have these parts, in this order; the last one is looked for at the end."""
        found = 0
        for each in entries:
            places = [each.find(part) for part in parts[:-1]] + [each.rfind(parts[-1])]
            found += -1 not in places and places == sorted(places)
        return found / len(entries)

    assert share("wrong/", "**Why.**", "prints") > 0.8
    assert share("wrong/", "<!-- modes:", "**Why.**") > 0.3
    assert share("**Why.**", "**Notice it earlier.**") > 0.3
    assert share("**Why.**", "**Asked in**") > 0.3


@says("`check_numerics` has no …")
def test_check_under_xla():
    @tf.function(jit_compile=True)
    def checked(x):
        return tf.debugging.check_numerics(tf.math.log(x), "log")

    assert np.isnan(checked(tf.constant(-1.0)))


@says("`print` in `grad` …", "`print` runs only …")
def test_print_while_tracing():
    prints = []

    @tf.custom_gradient
    def f(x):
        return x * 2.0, lambda upstream: [prints.append(1), upstream * 2.0][1]

    @tf.function
    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x)

    for _ in range(3):
        assert same(gradient(tf.constant(1.0)), 2.0)
        assert len(prints) == 1


pointer(
    "Other entries explain …",
    "A helper finds …",
    "See `tf.numpy_function`.",
    "Then look for …",
    "See zero instead …",
    "See also other …",
    "The input was …",
    "See also the errors …",
    "See devices.",
    "You compute a …",
    "On this page …",
    "If you have …",
    "Otherwise, choose your symptom:",
    "My gradient … …",
    "is `None` — None",
    "is NaN or …",
    "is zero — zero",
    "has the wrong …",
    "is a wrong …",
    "differs between eager …",
    "is too slow, …",
    "Start with My …",
    "In `fit`.",
    "The error is …",
    "With respect to …",
    "See the tape …",
    "Through a custom gradient.",
    "Look at a captured …",
    "Through NumPy.",
    "For an integer.",
    "See an integer input.",
    "The second derivative.",
    "Look at a decorated …",
    "First find the …",
    "A quotient, a …",
    "See numerical stability …",
    "An output that …",
    "See unused output.",
    "Only the second derivative.",
    "See NaN from tf.where.",
    "Under XLA.",
    "`tf.sign` or `tf.round`.",
    "Write a custom …",
    "Through `tf.py_function`.",
    "In `tf.vectorized_map`.",
    "The custom gradient …",
    "For eigenvectors.",
    "See equal eigenvalues.",
    "It has the …",
    "Rows and columns …",
    "A square matrix …",
    "It is a …",
    "See sparse and ragged.",
    "The message names …",
    "See types and dtypes.",
    "First compare the …",
    "It doesn't change …",
    "`upstream` is missing.",
    "Two gradients are swapped.",
    "They belong to …",
    "`grad` isn't called.",
    "You passed all …",
    "It changes from …",
    "Look at recomputed …",
    "Clipping fails.",
    "Either gradients above …",
    "The gradient is complex.",
    "Read complex numbers, …",
    "TensorFlow itself is wrong.",
    "See what is broken.",
    "With the tape …",
    "Read Graphs, XLA …",
    "A Python number, …",
    "See types.",
    "A variable is …",
    "See variables.",
    "If `tf.print` in …",
    "After loading a model.",
    "Read Saving and …",
    "On several devices.",
    "A custom gradient …",
    "Neither the decorator …",
    "Memory grows with …",
    "Look at repeated …",
    "See Jacobians and vectorizing.",
)
