"""Definitions, shapes and conditions that hold at one place of a page."""

from copy import copy
from dataclasses import dataclass, field

from .errors import EvaluationError
from .nodes import Index, Node, Statement, Symbol
from .tree import Tree, symbols

SIZES = {"n": 3, "m": 2, "k": 4, "p": 2, "q": 3, "d": 3, "b": 2}
"""Elements along a dimension with a name; a dimension that is not here has 3."""


@dataclass(frozen=True)
class MapDefinition:
    """``name_indices = node``, as a premise states it."""

    indices: tuple[Index, ...]
    node: Node
    place: int
    """Offset of the premise on its page."""


@dataclass
class Scope:
    """Everything that is stated up to one place of a page.

    A *place* is the offset of a statement on the page. It identifies the statement.
    """

    dimensions: dict[str, int] = field(default_factory=lambda: SIZES)
    """The number of elements along a dimension of this name."""
    fixed_shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """Shapes of given arrays. They override the sizes that the page states."""
    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    spaces: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Dimensions of arrays, as the page writes them."""
    complex: set[str] = field(default_factory=set)
    r"""Symbols that were stated to be in ``\C``; all others are real."""
    sizes: dict[str, int] = field(default_factory=dict)
    """The letters that stand for a number of elements in this section."""
    maps: dict[str, MapDefinition] = field(default_factory=dict)
    functions: dict[str, tuple[str, Node, int]] = field(default_factory=dict)
    """Parameter, body and place of each function."""
    values: dict[str, tuple[Node, int]] = field(default_factory=dict)
    """Numbers that the text gives to symbols, with their places."""
    conditions: list[tuple[int, Statement]] = field(default_factory=list)
    """Conditions on symbols, with their places."""
    inline_conditions: list[tuple[int, Statement]] = field(default_factory=list)
    """Conditions in running text, which hold up to the next displayed formula."""
    names: set[str] = field(default_factory=set)
    """Names of all symbols that the page has so far."""
    outputs: list[str] = field(default_factory=list)
    loss_differential: tuple[Node, int] | None = None
    """The right side of ``dL :=``, and its place."""

    def next_section(self, keep_values: bool) -> "Scope":
        """Return a copy without the conditions and the loss of this section."""
        state = {name: copy(value) for name, value in vars(self).items()}
        state |= {"sizes": {}, "conditions": [], "inline_conditions": []}
        if not keep_values:
            state["values"] = {}
        state["maps"].pop("L", None)
        return Scope(**{**state, "loss_differential": None})


def name_of(symbol: Symbol, scope: Scope) -> tuple[str, tuple[Index, ...]]:
    """Return the name of a symbol and its indices.

    ``x_0`` is a name without indices unless ``x`` is an array.
    """
    name, indices = symbol.name, symbol.indices
    if not indices or scope.shapes.get(name) or any(index.letter for index in indices):
        return name, indices
    return f"{name}_{','.join(str(index.offset) for index in indices)}", ()


def names_in(tree: Tree, scope: Scope) -> set[str]:
    """Return the names of all symbols in a tree."""
    return {name_of(symbol, scope)[0] for symbol in symbols(tree)}


def index_ranges(tree: Tree, scope: Scope) -> dict[str, int]:
    """Return the last value of each index letter, from the arrays that carry it."""
    ranges: dict[str, int] = {}
    for symbol in symbols(tree):
        name, indices = name_of(symbol, scope)
        shape = scope.shapes.get(name)
        if not shape or not indices:
            continue
        if len(shape) != len(indices):
            raise EvaluationError(
                f"{plain(name)} has {len(shape)} axes and {len(indices)} indices",
                symbol.position,
            )
        for (letter, _), size in zip(indices, shape):
            if letter and ranges.setdefault(letter, size) != size:
                raise EvaluationError(
                    f"index {letter} runs to {ranges[letter]} and to {size}",
                    symbol.position,
                )
    return ranges


def plain(name: str) -> str:
    """Return a name without backslashes."""
    return name.replace("\\", "")
