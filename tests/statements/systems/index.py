"""What the first page of the second part says of its pages."""

import re
from pathlib import Path

from truth.statements.tries import *

ROOT = Path(__file__).parents[3]


@says("Page — You …")
def test_each_page_has_a_row():
    menu = re.findall(r"systems/(\w+)\.md", (ROOT / "mkdocs.yml").read_text("utf-8"))
    page = (ROOT / "docs/systems/index.md").read_text("utf-8")
    assert menu == ["index", *re.findall(r"^\| \[.*?\]\((\w+)\.md\)", page, re.M)]


pointer(
    "Graphs and XLA …",
    "Keras — a …",
    "Mixed precision — a …",
    "Change a gradient …",
    "Saving and loading …",
    "Call NumPy, SciPy …",
    "Several devices — …",
    "Sparse, ragged and …",
    "Decompositions — the …",
    "Two applications: a …",
    "Train with quantized …",
    "Memory and recomputation …",
    "How many checkpoints …",
    "Second and higher …",
    "Forward mode and …",
    "Gradients through random samples — …",
    "Gradients through discrete samples — …",
    "Implicit differentiation — …",
    "Implicit differentiation: large systems and inexact solvers — …",
    "Differential equations — …",
    "The composition matrix …",
    "With these pages …",
    "Each page shows …",
)
