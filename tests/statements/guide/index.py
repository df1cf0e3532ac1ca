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


@says("Pages that derive …", "Each page of …")
@over(page=PAGES)
def test_each_page(page):
    links = (
        "[the four steps]",
        "(identity.md#derivation)",
        "(../lessons/chain_rule.md#derivation)",
    )
    steps = "State the " in page or r"\d L = " in page
    assert steps or any(link in page for link in links)
    heads = re.findall("^## (.*)$", page, re.MULTILINE)
    assert heads[-1].startswith(("Exercise", "Try it"))
    solutions = page[page.rindex(f"## {heads[-1]}") :]
    assert "Solution" in solutions and '--8<-- "guide/' in solutions


@says("you want to understand …")
def test_its_lines():
    engine = DOCS.parent / "snippets/guide/build_a_tape/build_a_tape.py"
    assert len(engine.read_text("utf-8").splitlines()) == 120


pointer(
    "This guide explains …",
    "Or read the …",
    "In the tables, …",
    "Questions of notation …",
    "a function turns …",
    "Your situation — Page",
    "a gradient is `None`, …",
    "you want to know …",
    "you are about …",
    "you want the value …",
    "a gradient has …",
    "a gradient is NaN, infinite, …",
    "a gradient function …",
    "the function is a product, …",
    "the function is a layer …",
    "the function reads …",
    "inputs are exactly …",
    "a tensor is …",
    "a gradient is NaN or wrong …",
    "a check fails …",
    "you have a …",
    "It also shows …",
    "If you came …",
    "The template and …",
    "you want to clip, …",
    "you want to train …",
    "your model chooses …",
    "you want to notice …",
    "you know `jax.custom_vjp` …",
    "you copied an …",
    "All pages use …",
)
