"""Where a gradient that is not what one expects leads."""

import re
from pathlib import Path

from truth.statements.tries import *

ROOT = Path(__file__).parents[3]


@says(
    "A constant is …",
    "The gradient through NumPy.",
)
@over(x=numbers(-1e3, 1e3))
def test_what_is_recorded(x):
    x = tf.constant(x)
    with tf.GradientTape(persistent=True) as tape:
        before = x * 2.0
        tape.watch(x)
        after, by_numpy = x * 2.0, tf.constant(x.numpy() * 2.0)
    assert tape.gradient(before, x) is None and same(tape.gradient(after, x), 2.0)
    assert tape.gradient(by_numpy, x) is None


@says("`tf.sign` has the …")
@over(mode=MODES, x=numbers())
def test_slopes_of_jumps(mode, x):
    assert same(mode.gradient(tf.sign, x), 0.0)
    assert mode.gradient(tf.round, x) is None


@says("Silent mistakes come …")
def test_what_comes_first():
    menu = (ROOT / "mkdocs.yml").read_text("utf-8")
    pages = re.findall(r"mistakes/(\w+)\.md", menu)
    assert pages[:4] == ["index", "silent", "silent_values", "silent_systems"]


@says(
    "Then a program …",
    "The heading is …",
)
def test_the_form_of_an_entry():
    page = (ROOT / "docs/mistakes/counts.md").read_text("utf-8")
    first = page.split("\n## ")[1]
    parts = [
        "wrong/",
        "<!-- modes:",
        "**Why.**",
        "**Fix.**",
        "prints",
        "**Notice",
        "**Asked",
    ]
    places = [
        first.rindex(each) if each == "prints" else first.index(each) for each in parts
    ]
    assert places == sorted(places)
    heading = first.partition(" {")[0]
    assert heading in first.partition("\n")[2]


pointer(
    "You have a …",
    "With a message, …",
    "Without one, start here: my gradient is …",
    "Closed over, for …",
    "An integer output, …",
    "No return.",
    "By a decorated …",
    "No gradients provided, …",
    "Find the operation …",
    "A quotient, a …",
    "An output that …",
    "Only the second …",
    "Under XLA a …",
    "Through `tf.py_function`: zero, …",
    "Behind `tf.vectorized_map`: the …",
    "Of eigenvectors: equal eigenvalues.",
    "What a tape …",
    "It has the …",
    "Rows and columns: …",
    "`tf.IndexedSlices` came, and …",
    "half, float and …",
    "Compare it with …",
    "It does not …",
    "Two gradients have …",
    "The rule is …",
    "Something is computed …",
    "Clipping lets it …",
    "It is complex: …",
    "TensorFlow itself is …",
    "With the tape …",
    "A Python number, …",
    "A variable is …",
    "It prints once: …",
    "After loading: saving …",
    "On several devices: devices.",
    "Decorating saves no …",
    "Memory grows with …",
    "A Jacobian: Jacobians …",
)
