"""What the first page of the second part says of its pages."""

import re
from pathlib import Path

from truth.statements.tries import *

ROOT = Path(__file__).parents[3]


@says("Page — You need it when")
def test_each_page_has_a_row():
    menu = re.findall(r"systems/(\w+)\.md", (ROOT / "mkdocs.yml").read_text("utf-8"))
    page = (ROOT / "docs/systems/index.md").read_text("utf-8")
    assert menu == ["index", *re.findall(r"^\| \[.*?\]\((\w+)\.md\)", page, re.M)]


pointer(
    "The guide derives rules and runs them by themselves.",
    "Here they meet the rest of TensorFlow: graphs, Keras, files, memory, other derivatives.",
    "Each page says what keeps a rule, what drops it, and what to do.",
    "Graphs and XLA — a gradient differs between eager mode and a graph, or you ask when a rule is called",
    "Keras — a layer has a rule, under `fit`, mixed precision or in a functional model",
    "Another gradient in a model that exists — you want guided backpropagation, or another gradient in layers"
    " that you did not write",
    "Saving and loading a rule — a model with a rule goes to a file, and is differentiated again",
    "Calling the outside world — the function is computed by NumPy, SciPy or another library",
    "Several devices — a rule runs under `MirroredStrategy`, on several replicas",
    "Sparse, ragged and composite tensors — inputs or upstream gradients are `IndexedSlices`, sparse, ragged or composite"
    " tensors",
    "Decompositions — the function is an eigendecomposition, SVD, QR, Cholesky, least squares or a matrix exponential",
    "Three applications — you want to see rules at work: a model trained with one and without",
    "Memory and recomputation — the tape keeps more than fits, or a part shall be computed twice",
    "Second and higher order — a rule is differentiated again, or you need products with a Hessian",
    "Forward mode and batching — you need a Jacobian, its products, or a gradient for each example",
    "Random functions — the forward pass draws numbers",
    "Implicit differentiation — the function solves an equation or finds a minimum",
    "Differential equations — the function integrates in time",
    "The composition matrix — you want to know at a glance what works with what",
)
