"""Mistakes in custom gradients that the checker of each framework finds or misses.

It is made from frameworks/checkers.json, which frameworks/checkers.py measures.
"""

import json

from . import ROOT, markdown

_COLUMNS = {
    "JAX `check_grads`": ["jax: check_grads"],
    "PyTorch `gradcheck`": ["torch: gradcheck"],
    "with `gradgradcheck`": ["torch: gradcheck, gradgradcheck"],
    "TensorFlow `compute_gradient`": ["tensorflow: compute_gradient"],
    "`vjpcheck` in all three": [
        "jax: vjpcheck.jax.check_grads",
        "torch: vjpcheck.torch.check_grads",
        "tensorflow: vjpcheck.check_grads",
    ],
    "`check_custom_gradient`": ["tensorflow: vjpcheck.check_custom_gradient"],
}
"""The checkers of each column, by framework."""
_NAMES = {"jax": "JAX", "torch": "PyTorch", "tensorflow": "TensorFlow"}
_SHOWN = {"right": "–", "missed": "**missed**"}


def table() -> str:
    """Return a row for each mistake, the most often missed first, and the counts."""
    record = json.loads((ROOT / "frameworks/checkers.json").read_text("utf-8"))
    columns = {
        f"{framework}: {checker}": cells
        for framework in _NAMES
        for checker, cells in record[framework].items()
    }
    rows = [
        [name, *(_outcome(columns, of, name) for of in _COLUMNS.values())]
        for name in columns["jax: check_grads"]
    ]
    rows.sort(key=lambda row: -row.count("missed"))
    counts = [str(cells.count("missed")) for cells in [*zip(*rows)][1:]]
    total = [f"**missed**, of {len(rows)}", *counts]
    shown = [[_SHOWN.get(cell, cell) for cell in row] for row in rows]
    versions = ", ".join(
        f"{name} {record['versions'][framework].partition('+')[0]}"
        for framework, name in _NAMES.items()
    )
    rows = [*shown, total]
    return f"{markdown(['Mistake', *_COLUMNS], rows)}\n\nMeasured with {versions}."


def _outcome(columns: dict[str, dict[str, str]], of: list[str], name: str) -> str:
    """Return the outcome where the mistake is silent, if it is the same for all."""
    outcomes = [columns[checker][name] for checker in of]
    silent = {each for each in outcomes if each not in ("right", "raises")}
    return ", ".join(sorted(silent)) or outcomes[0]
