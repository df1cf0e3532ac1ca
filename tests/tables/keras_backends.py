"""Cases of keras.ops.custom_gradient that aren't right on all three backends.

It is made from frameworks/keras_matrix.json, which frameworks/keras_matrix.py measures.
"""

import json
import re

from . import ROOT, markdown

_COLUMNS = {"tensorflow": "TensorFlow", "jax": "JAX", "torch": "PyTorch"}
_KINDS = ("silent", "warns", "raises", "right")
"""The kinds of cells, in the order of the rows."""
_LENGTH = 40
_MODE = re.compile(r"(?<=^`fit`) (?:eagerly|compiled)")


def table() -> str:
    """Return a row for each case, the silent ones first, and count the cases."""
    matrix = json.loads((ROOT / "frameworks/keras_matrix.json").read_text("utf-8"))
    names: dict[tuple[str, ...], list[str]] = {}
    right = 0
    for name in matrix["jax"]:
        cells = [matrix[backend][name] for backend in _COLUMNS]
        if all(cell.startswith("right") for cell in cells):
            right += 1
            continue
        # A case of fit is named once if it is the same eagerly and compiled.
        row = _MODE.sub("", name), *map(_shown, cells)
        names.setdefault(row, []).append(name)
    rows = [
        [case if len(modes) > 1 else modes[0], *cells]
        for (case, *cells), modes in names.items()
    ]
    rows.sort(key=lambda row: min(map(_rank, row[1:])))
    count = f"Of {len(matrix['jax'])} cases, {right} are right on all three backends."
    return f"{markdown(['Case', *_COLUMNS.values()], rows)}\n\n{count}"


def _shown(cell: str) -> str:
    """Return the text of a cell. An error that is expected shows as an error."""
    kind, _, rest = cell.removeprefix("right, ").partition(": ")
    if kind.startswith("raises"):
        return kind
    return f"**{kind}**: {rest}"[:_LENGTH] if rest else kind


def _rank(cell: str) -> int:
    """Return the place of a cell's kind, of which the worst decides about its row."""
    return _KINDS.index(re.findall(r"\w+", cell)[0])
