"""Tables that a run fills: what a custom gradient does in each place.

Each module has a function ``table`` that computes every cell and returns the table in
Markdown. ``python -m tests.tables`` writes the records that pages include.
"""

import importlib
import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np

from tests.harness import (
    BLOCKS,
    EAGER,
    EAGER_BLOCKS,
    IN_PYTHON,
    INSIDE,
    NESTED,
    OUTSIDE,
    PARTLY_USED,
    PERSISTENT,
    RECOMPUTED,
    SYMBOLIC,
    TAPE_IN_MAP,
    UNKNOWN,
    VECTORIZED,
    XLA,
    XLA_OUTSIDE,
    Forward,
    Place,
    gradients_in_fit,
    loaded_in_places,
)
from truth import tables

ROOT = Path(__file__).resolve().parents[2]
NAMES = (
    "when_grad_runs",
    "cut_path",
    "forward_mode",
    "wrong_return",
    "sparse_upstream",
    "saving",
)
"""The tables, in the order of the page."""

NESTED_OUTSIDE, *_BLOCKS = [*BLOCKS, *EAGER_BLOCKS]
_REPLICAS = [place for place in _BLOCKS if place.name.startswith("strategy.run")]
_BLOCKS = [place for place in _BLOCKS if place not in _REPLICAS]
FAMILIES: list[list[Place]] = [
    [EAGER, PERSISTENT, INSIDE, NESTED, OUTSIDE, NESTED_OUTSIDE, SYMBOLIC],
    [XLA, XLA_OUTSIDE, *UNKNOWN, *_REPLICAS],
    _BLOCKS,
    [*PARTLY_USED, *RECOMPUTED, *IN_PYTHON],
    [*VECTORIZED, *TAPE_IN_MAP],
]
"""Related places, whose rows may be merged."""
Cells = Sequence[str]

_SHOWN = {
    "nested tf.function, outside": "nested function, outside",
    "inside, XLA": "XLA, inside",
    "outside, XLA": "XLA, outside",
    "forward mode, inside, XLA": "forward mode with XLA, inside",
    "forward mode, outside, XLA": "forward mode with XLA, outside",
    "tape in vectorized_map, eager": "tape in the `vectorized_map`, eager",
    "tape in vectorized_map, inside": "tape in the `vectorized_map`, inside",
}
_CODE = (
    "tf.gradients",
    "map_fn",
    "strategy.run",
    "recompute_grad",
    "py_function",
    "vectorized_map",
)
_WHERE = ("eager", "inside", "outside", "nested")
_MOST_NAMES = 8
"""Places in one row, at most."""


def compute(table: str, known: tables.TableRecord | None = None) -> str:
    """Run a table, and return it in Markdown, without empty lines around it.

    Args:
        table: its name.
        known: its record, which names the call of a table of modes.
    """
    with warnings.catch_warnings():
        # Keras warns of each weight whose gradient is None.
        warnings.simplefilter("ignore", UserWarning)
        if known and known.modes:
            from . import modes

            return modes.table(modes.call_of(known))
        module = importlib.import_module(f".{table}", __name__)
        return module.table().strip()


def by_place(
    header: Cells,
    cells: Callable[[Place], Cells],
    *more: Mapping[str, Cells],
    families: Iterable[Iterable[Place]] = FAMILIES,
) -> str:
    """Return a table with a row for each place, or for several that are equal.

    Args:
        header: the titles of the columns after the first.
        cells: computes the cells of a place.
        *more: further families, as cells by the name of a place.
        families: related places.
    """
    rows = [{name(place): cells(place) for place in family} for family in families]
    return markdown(["Place", *header], merged([*rows, *more]))


def name(place: Place | Forward) -> str:
    """Return the name of a place in a table."""
    title = _SHOWN.get(place.name, place.name)
    for word in _CODE:
        if title.startswith(word):
            return title.replace(word, f"`{word}`")
    return title


def markdown(header: Cells, rows: Iterable[Cells]) -> str:
    """Return a table in Markdown, in which equal columns are one."""
    columns: dict[tuple[str, ...], list[str]] = {}
    for title, *cells in zip(header, *rows):
        columns.setdefault(tuple(cells), []).append(title)
    titles = [", ".join(dict.fromkeys(names)) for names in columns.values()]
    lines = [titles, ["---"] * len(titles), *zip(*columns)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def merged(families: Iterable[Mapping[str, Cells]]) -> list[list[str]]:
    """Merge the rows that are equal.

    Args:
        families: related places and their cells. Rows of different families stay apart.

    Returns:
        Rows whose first cell names the places. A block that is equal with the tape inside
        and outside is named once, without *inside* and *outside*.
    """
    rows: list[list[str]] = []
    for family in families:
        by_cells: dict[tuple[str, ...], list[str]] = {}
        for place, cells in _paired(family).items():
            by_cells.setdefault(tuple(cells), []).append(place)
        for cells, places in by_cells.items():
            for start in range(0, len(places), _MOST_NAMES):
                rows.append([_joined(places[start : start + _MOST_NAMES]), *cells])
    return rows


def _joined(places: Iterable[str]) -> str:
    """Join the names of places, and name what several have in parentheses once."""
    blocks: dict[str, list[str]] = {}
    for place in places:
        block, mark, where = place.partition(" (")
        blocks.setdefault(mark + where, []).append(block)
    return "; ".join(", ".join(names) + where for where, names in blocks.items())


def _paired(family: Mapping[str, Cells]) -> dict[str, Cells]:
    """Name a block once if its cells are equal wherever the tape is."""
    blocks: dict[str, dict[str, Cells]] = {}
    for place, cells in family.items():
        block, _, where = place.rpartition(", ")
        title, where = (block, where) if where in _WHERE and block else (place, "")
        blocks.setdefault(title, {})[where] = cells
    paired: dict[str, Cells] = {}
    for block, cells_of in blocks.items():
        groups: dict[tuple[str, ...], list[str]] = {}
        for where, cells in cells_of.items():
            groups.setdefault(tuple(cells), []).append(where)
        for cells, places in groups.items():
            is_whole = len(groups) == 1 and len(places) > 1
            where = "" if is_whole else ", ".join(filter(None, places))
            paired[f"{block} ({where})" if where else block] = cells
    return paired


@dataclass(frozen=True)
class Case:
    """A function, and the one of its inputs whose gradient a column shows."""

    title: str
    function: Callable
    inputs: Sequence
    at: int = 0

    def cell(self, gradients: Callable[..., Any]) -> str:
        """Return the cell of a place.

        Args:
            gradients: takes the function and its inputs, and returns one gradient for
                each input.
        """
        return cell(
            lambda: self.described(gradients(self.function, *self.inputs)[self.at])
        )

    def described(self, gradient: Any) -> str:
        """Return the text of a gradient."""
        return shown(gradient)


def of_cases(cases: Sequence[Case], in_fit: Callable[..., Any] | None = None) -> str:
    """Return a table with a column for each case, and a row for each place.

    Args:
        cases: the columns.
        in_fit: takes a function and its inputs, and returns the gradients of
            ``model.fit``.
    """

    def cells(place: Place) -> list[str]:
        return [case.cell(place.gradients) for case in cases]

    fit = [case.cell(in_fit or _in_fit) for case in cases]
    titles = [case.title for case in cases]
    return by_place(titles, cells, {"`model.fit`": fit} | _loaded(cases))


def _in_fit(function: Callable, *inputs: Any) -> list:
    """Return the gradients of ``model.fit``, which raises if all of them are ``None``."""

    def with_path(path: Any, *tensors: Any) -> Any:
        return path + function(*tensors)

    return gradients_in_fit(with_path, np.float32(1), *inputs)[1:]


class ElsewhereError(Exception):
    """An exception of another process; its text is the name."""


def _loaded(cases: Sequence[Case]) -> dict[str, list[str]]:
    """Compute the cells of SavedModels that another process loads."""
    results = loaded_in_places([(case.function, case.inputs) for case in cases])

    def gradients(number: int, place: str, *_: Any) -> list:
        result = results[number, place, 1]
        if isinstance(result, str):
            raise ElsewhereError(result)
        return result

    return {
        f"loaded SavedModel, {place}": [
            case.cell(partial(gradients, number, place))
            for number, case in enumerate(cases)
        ]
        for place in ("inside", "outside")
    }


def cell(function: Callable[[], Any]) -> str:
    """Return the text of what a function returns, or of the exception that it raises."""
    try:
        return shown(function())
    except ElsewhereError as error:
        return f"raises {error}"
    except Exception as error:
        return f"raises {type(error).__name__}"


def shown(value: Any) -> str:
    """Return the text of a gradient: ``None``, one number, or an array."""
    if value is None or isinstance(value, str):
        return str(value)
    array = np.asarray(value, float)
    if array.size and (array == array.flat[0]).all():
        return f"{array.flat[0]:.4g}"
    return np.array2string(array, precision=4, separator=", ", suppress_small=True)
