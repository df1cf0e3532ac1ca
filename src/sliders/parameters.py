"""The parameters of a program: constants that readers may change."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

MOST = 400
"""Combinations of values, of one program."""
_RANGE = re.compile(r"(?P<first>\S+) to (?P<last>\S+) by (?P<step>\S+)")


@dataclass(frozen=True)
class Place:
    """The place of a constant in a program: its line, from 1, and its columns."""

    line: int
    start: int
    end: int


@dataclass(frozen=True)
class Parameter:
    """One constant of a program that readers may change."""

    name: str
    """``x``, or ``w[1]`` for the second constant of ``w``."""
    values: tuple[str, ...]
    """The values that it takes, in order, as the program would write them."""
    default: int
    """The position in ``values`` of the program's own value."""
    place: Place


def parameter(text: str, name: str, values: str) -> Parameter:
    """Return the parameter of a program with a name.

    The constant stands in the first assignment to the name, outside functions if there
    is one there, or in what a loop over the name goes through.

    Args:
        text: the program.
        name: such as ``x`` or ``w[1]``.
        values: such as ``-1.0 to 1.0 by 0.5`` or ``3.0, 4.0``.

    Raises:
        ValueError: the program has no such constant, or the values don't fit it.
    """
    stem, _, number = name.rstrip("]").partition("[")
    written = _values(values)
    is_switch = isinstance(_number(written[0]), bool)
    places = _places(text, stem, (bool,) if is_switch else (int, float))
    if not places:
        raise ValueError(f"the program assigns no numeric constant to {stem}")
    if not number and len(places) > 1:
        raise ValueError(
            f"the first assignment to {stem} has {len(places)} constants; name one,"
            f" from {stem}[0] to {stem}[{len(places) - 1}]"
        )
    if int(number or 0) >= len(places):
        raise ValueError(f"the assignment to {stem} has {len(places)} constants")
    place = places[int(number or 0)]
    default = text.split("\n")[place.line - 1][place.start : place.end]
    for value in written:
        if type(_number(value)) is not type(_number(default)):
            raise ValueError(
                f"{value} isn't of the type of {default}, which it replaces"
            )
    numbers = [_number(value) for value in written]
    if numbers != sorted(set(numbers)):
        raise ValueError("the values don't increase")
    if _number(default) not in numbers:
        raise ValueError(f"{default}, which is in the program, isn't one of the values")
    return Parameter(name, tuple(written), numbers.index(_number(default)), place)


def _number(text: str) -> float:
    try:
        number = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        number = None
    if type(number) not in (int, float, bool):
        raise ValueError(f"{text!r} isn't a number")
    return number


def _values(text: str) -> list[str]:
    """Return the values of a list or of a range, as the program would write them."""
    if not (match := _RANGE.fullmatch(text)):
        return [value.strip() for value in text.split(",")]
    try:
        first, last, step = (Decimal(part) for part in match.groups())
        is_bad = step <= 0 or last < first or (last - first) / step > MOST
        is_bad = is_bad or (last - first) % step != 0
    except InvalidOperation:
        raise ValueError(f"{text!r} isn't a range of numbers") from None
    if is_bad:
        raise ValueError(f"{text!r} has no values, no last one, or more than {MOST}")
    # Written as the first one is: -1.0 to 1.0 by 0.5 has the value 0.0.
    has_point = "." in match["first"]
    values = []
    for k in range(int((last - first) / step) + 1):
        value = f"{(first + k * step).normalize():f}"
        values.append(value if not has_point or "." in value else f"{value}.0")
    return values


def _places(text: str, name: str, types: tuple[type, ...]) -> list[Place]:
    """Return the places of the constants in the first assignment to a name."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return []
    lines = text.split("\n")

    def place(node: ast.expr) -> Place:
        line = lines[node.lineno - 1].encode()  # offsets count bytes
        start, end = (
            len(line[:offset].decode())
            for offset in (node.col_offset, node.end_col_offset)
        )
        return Place(node.lineno, start, end)

    for target, value in _assignments(tree):
        if isinstance(target, ast.Name) and target.id == name:
            return [place(node) for node in _constants(value, types)]
    return []


def _assignments(tree: ast.Module) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Return targets and values: those of the module first, and loops last."""
    for node in (*tree.body, *ast.walk(tree)):
        if isinstance(node, ast.Assign):
            pairs = [(target, node.value) for target in node.targets]
        elif isinstance(node, ast.AnnAssign) and node.value:
            pairs = [(node.target, node.value)]
        else:
            continue
        for target, value in pairs:
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                yield from zip(target.elts, value.elts)
            else:
                yield target, value
    for node in ast.walk(tree):
        if isinstance(node, ast.For):
            yield node.target, node.iter


def _constants(node: ast.AST, types: tuple[type, ...]) -> Iterator[ast.expr]:
    """Return the constants below a node; a minus belongs to its constant."""
    inner = node.operand if isinstance(node, ast.UnaryOp) else node
    if isinstance(inner, ast.Constant) and isinstance(node, ast.expr):
        if type(inner.value) in types:
            yield node
        return
    for child in ast.iter_child_nodes(node):
        yield from _constants(child, types)
