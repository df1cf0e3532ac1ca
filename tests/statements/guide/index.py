"""What the guide's first page says of its pages."""

import re
from pathlib import Path

from truth.statements.tries import *

DOCS = Path(__file__).parents[3] / "docs"
PAGES = {
    path.stem: path.read_text("utf-8")
    for path in sorted(DOCS.glob("guide/*.md"))
    if path.stem != "index"
}


@says(
    "Each page derives its rules in the same four steps, runs what it says, and ends with exercises whose"
    " solutions run."
)
@over(page=PAGES)
def test_each_page(page):
    assert (
        "State the map" in page or "(choosing.md)" in page or "[the four steps]" in page
    )
    heads = re.findall("^## (.*)$", page, re.MULTILINE)
    assert heads[-1].startswith(("Exercise", "Try it"))
    solutions = page[page.rindex(f"## {heads[-1]}") :]
    assert "Solution" in solutions and '--8<-- "guide/' in solutions


pointer(
    "The lessons have one idea each; a page of the guide has all of one subject.",
    "Every page stands alone; from top to bottom they lead from the tape to a rule for any function, and to"
    " knowing that it is right.",
    "Page — You need it when",
    "The tape — a gradient is `None`, or you want to know when rules are called and with what",
    "The vector–Jacobian product — you ask what upstream is, why a gradient of a vector is a sum, or what a"
    " Jacobian would cost",
    "When to write a rule — you are about to write a rule, and want to know whether you need one",
    "Broadcasting — a gradient comes back in the shape of the output, or a variable grows",
    "Numerical stability — a gradient is NaN, infinite, or zero where it should not be",
    "Several inputs, outputs and nested structures — a rule takes or returns dictionaries, lists or integers, or"
    " the number of gradients is wrong",
    "Matrices — the map is a product, an inverse, a determinant, a softmax or a layer",
    "Variables — the function reads a variable, or TensorFlow demands `variables=`",
    "Identity forward, other gradient backward — a gradient shall be clipped, reversed, sent through a rounding,"
    " or looked at",
    "Points without a derivative — inputs are exactly zero or tie, and you must know or choose the slope there",
    "Complex numbers — a tensor is complex, a gradient comes back conjugated, or an FFT needs a rule",
    "Checking a rule — you have a rule, and want to know whether it is right",
    "Reading a trace — a gradient is NaN or wrong somewhere, and you must find where",
    "Where TensorFlow's documentation is wrong — you copied an official example and the numbers do not fit",
    "The signs are those of the lessons; words are explained in the glossary, and the choice of signs in"
    " questions of notation.",
)
