"""Where a gradient that is not what one expects leads."""

import re
from pathlib import Path

from truth.statements.tries import *

ROOT = Path(__file__).parents[3]


@says(
    "A constant is not watched by itself, and NumPy ends the record: the tape.",
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


@says(
    "`tf.sign` has the slope zero, and `tf.round` has `None`: take the identity with another rule."
)
@over(mode=MODES, x=numbers())
def test_slopes_of_jumps(mode, x):
    assert same(mode.gradient(tf.sign, x), 0.0)
    assert mode.gradient(tf.round, x) is None


@says(
    "Silent mistakes come first in the menu: they print nothing, and their numbers are wrong."
)
def test_what_comes_first():
    menu = (ROOT / "mkdocs.yml").read_text("utf-8")
    pages = re.findall(r"mistakes/(\w+)\.md", menu)
    assert pages[:4] == ["index", "silent", "silent_values", "silent_systems"]


@says(
    "Then a program that brings it about; what each mode shows, written by a run; why; the fix, a"
    " program with its trace; how to notice it earlier; where it was asked.",
    "The heading is the message, or what you see.",
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
    "You have a message, or a gradient that is not what you expect.",
    "With a message, paste its last line into the search, or look it up among the messages.",
    "Without one, start here: my gradient is …",
    "Closed over, for a weight of a layer here.",
    "An integer output, an integer input.",
    "No return.",
    "By a decorated rule, by a number in the rule, by a tape that was closed.",
    "No gradients provided, and which part is it; a warning: gradients do not exist.",
    "Find the operation where it enters: reading a trace.",
    "A quotient, a root, a logarithm or a norm at zero, and `tf.where` around it: numerical stability, the norm.",
    "An output that the loss does not use: unused.",
    "Only the second derivative: NaN from tf.where.",
    "Under XLA a check does not speak: check_numerics.",
    "Through `tf.py_function`: zero, not None.",
    "Behind `tf.vectorized_map`: the rule is dropped.",
    "Of eigenvectors: equal eigenvalues.",
    "What a tape is asked.",
    "It has the shape of the product, and not of the input: broadcast, and the messages that come of it.",
    "Rows and columns: a square hides it.",
    "`tf.IndexedSlices` came, and no tensor: sparse and ragged.",
    "half, float and double: types and dtypes.",
    "Compare it with differences: checking a rule, or let a program look.",
    "It does not change with the loss: upstream is forgotten.",
    "Two gradients have changed places: of inputs, of a dictionary, of variables.",
    "The rule is not called: by keyword, as an argument of tf.function, in vectorized_map.",
    "Something is computed anew: dropout, a mask, a setting, a lambda in a loop.",
    "Clipping lets it through: slices, or hardly anything: a scaled loss.",
    "It is complex: complex numbers, a real gradient.",
    "TensorFlow itself is wrong: what is broken.",
    "With the tape around a `tf.function`, under XLA, in a loop or in a branch: graphs, XLA and control flow, the whole, and what works with what.",
    "A Python number, flag or function is an argument: types.",
    "A variable is read in a branch or in a loop: variables.",
    "It prints once: print, or not at all: around the function.",
    "After loading: saving and loading, the rule of another model.",
    "On several devices: devices.",
    "Decorating saves no memory, and recomputing a whole model saves nothing.",
    "Memory grows with each call: a graph and a rule for each trace, a list that grows, a persistent tape.",
    "A Jacobian: Jacobians and vectorizing.",
)
