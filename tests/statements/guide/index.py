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


@says("Pages that derive …")
@over(page=PAGES)
def test_each_page(page):
    links = "(choosing.md)", "[the four steps]", "(identity.md#derivation)"
    assert "State the " in page or any(link in page for link in links)
    heads = re.findall("^## (.*)$", page, re.MULTILINE)
    assert heads[-1].startswith(("Exercise", "Try it"))
    solutions = page[page.rindex(f"## {heads[-1]}") :]
    assert "Solution" in solutions and '--8<-- "guide/' in solutions


@says("Build a tape …")
def test_its_lines():
    engine = DOCS.parent / "snippets/guide/build_a_tape/build_a_tape.py"
    assert len(engine.read_text("utf-8").splitlines()) == 120


pointer(
    "In this guide …",
    "Or read the …",
    "Find your situation …",
    "The glossary defines …",
    "Between real and …",
    "Page — You …",
    "The tape — …",
    "The vector–Jacobian product …",
    "When to write …",
    "Broadcasting — a …",
    "Numerical stability — …",
    "Several inputs, outputs …",
    "Matrix functions — …",
    "Softmax, layer normalization, …",
    "Variables — the …",
    "Change the gradient, …",
    "Points without a …",
    "Complex numbers — …",
    "Checking a gradient …",
    "Reading the backward …",
    "Step sizes, the …",
    "Test a custom …",
    "Coming from JAX …",
    "Where TensorFlow's documentation …",
    "The symbols are …",
)
