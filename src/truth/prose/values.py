"""What the numbers in a formula amount to."""

import math
import re
from collections.abc import Callable, Iterator
from functools import cache, partial, reduce
from itertools import islice, product
from operator import add, mul, pow, truediv
from typing import Any

import mpmath
import sympy

from ..formulas.latex import LatexError, Node, Statement, parse
from ..formulas.meaning import SCALAR
from ..formulas.tree import Tree, bare, walk
from .sources import Number, Value

ROLES = ("upstream", "local", "downstream")
EQUAL = {"=", ":=", "≈"}
_COMBINATIONS = 400
"""Of values that symbols may have; no more are tried."""


class Unknown(Exception):
    """A part of a formula that has no value here."""


def name_of(node: Node) -> str | None:
    """The name of a symbol, whatever role it is shown in; None: no symbol."""
    if node.kind in ("role", "group", "bar"):
        inner = name_of(node.parts[-1])
        return inner and ("bar " + inner if node.kind == "bar" else inner)
    if node.kind == "symbol":
        name, subscript = node.parts
        indices = "".join(
            str(i)
            if isinstance(i, str)
            else f"{i[0]}{i[1] or ''}"
            if i[0]
            else str(i[1])
            for i in subscript
        )
        return name.lstrip("\\") + (f"_{indices}" if indices else "")
    return None


def labels_of(node: Node) -> frozenset[str]:
    """The names by which traces and programs call what a formula shows."""
    role = next((n.parts[0] for n in walk(node) if n.kind == "role"), None)
    name = name_of(node)
    base = (name or "").removeprefix("bar ")
    if role:
        return frozenset({role, f"{role}_{base}"})
    if name is None:
        return frozenset()
    if name.startswith("bar "):
        return frozenset(f"{r}_{base}" for r in ROLES)
    return frozenset({base.lower(), base_of(name), *(["loss"] if base == "L" else [])})


def base_of(name: str) -> str:
    return name.removeprefix("bar ").partition("_")[0].lower()


def statements_in(node: Tree) -> Iterator[Statement]:
    if isinstance(node, Statement):
        yield node
        node = node.sides
    for part in node.parts if isinstance(node, Node) else node:
        if isinstance(part, (Node, Statement, tuple)):
            yield from statements_in(part)


Amount = Any
"""A float, or a tuple of them."""


def each_of(function: Callable[..., float], *arguments: Amount) -> Amount:
    """Apply to numbers, and element by element to tuples of one length."""
    lengths = {len(a) for a in arguments if isinstance(a, tuple)}
    if not lengths:
        return function(*arguments)
    if len(lengths) > 1:
        raise Unknown
    return tuple(
        function(*(a[i] if isinstance(a, tuple) else a for a in arguments))
        for i in range(lengths.pop())
    )


@cache
def _function(name: str) -> Callable[[float], float]:
    """A function of one number, as it stands in the check of formulas, computed
    with digits to spare."""
    if name not in SCALAR:
        raise Unknown
    symbol = sympy.Symbol("x", real=True)
    defined = sympy.lambdify(symbol, SCALAR[name](symbol), "mpmath")

    def function(x: float) -> float:
        with mpmath.workdps(40):
            return float(defined(mpmath.mpf(x)))

    return function


_SEVERAL = {"max": max, "min": min}


def evaluate(node: Node, names: dict[str, Amount]) -> Amount:
    """The value of an expression; raises Unknown if it has none."""

    def value(part: Node) -> Amount:
        return evaluate(part, names)

    name = name_of(node)
    if name is not None:
        if name not in names:
            raise Unknown
        return names[name]
    parts = node.parts
    match node.kind:
        case "number":
            return float(parts[0])
        case "e" | "pi":
            return getattr(math, node.kind)
        case "role" | "group":
            return value(parts[-1])
        case "sum":
            terms = (each_of(mul, float(sign), value(term)) for sign, term in parts)
            return reduce(partial(each_of, add), terms)
        case "product" | "elementwise":
            return reduce(partial(each_of, mul), map(value, parts))
        case "quotient":
            return each_of(truediv, *map(value, parts))
        case "power":
            return each_of(pow, *map(value, parts))
        case "abs":
            return each_of(abs, value(parts[0]))
        case "call":
            called = _SEVERAL.get(parts[0]) or _function(parts[0])
            return each_of(called, *map(value, parts[1]))
        case "matrix" if parts[1] == "tuple":
            return tuple(value(row[0]) for row in parts[0])
    raise Unknown


def plain_value(node: Node) -> Value | None:
    """The value of an expression without symbols, with the digits it shows."""
    try:
        value = evaluate(node, {})
    except (Unknown, ArithmeticError, ValueError, TypeError):
        return None
    if isinstance(value, complex) or not any(n.kind == "number" for n in walk(node)):
        return None
    if isinstance(value, tuple):
        inner = bare(node)
        if inner.kind != "matrix":
            return as_value(value)
        items = [plain_value(row[0]) for row in inner.parts[0]]
        numbers = tuple(item for item in items if isinstance(item, Number))
        return numbers if len(numbers) == len(items) else None
    return Number(value, *digits_of(node))


def digits_of(node: Node) -> tuple[float, int]:
    """Half a unit of the last digit and the number of digits of a literal."""
    match node.kind, node.parts:
        case "number", (value, decimals):
            digits = len(str(abs(int(value * 10**decimals))).lstrip("0")) or 1
            return 0.5 * 10.0**-decimals if decimals else 0.0, digits
        case ("sum", ((_, term),)) | ("group" | "role", (*_, term)):
            return digits_of(term)
        case "product", (number, Node("power", (ten, exponent))) if (
            number.kind == "number" and plain_value(ten) == Number(10.0, 0.0, 2)
        ):
            half, digits = digits_of(number)
            return (half or 0.5) * 10.0 ** evaluate(exponent, {}), digits
    return 0.0, 0


def statements(tex: str) -> list[Statement]:
    """What a formula says; one without relation is a statement of one side."""
    tex = re.sub(r"^\[([-\d., ]+)\]$", r"(\1)", tex.strip())
    try:
        return parse(tex)
    except LatexError:
        try:
            [statement] = parse("L = " + tex)
        except (LatexError, ValueError):
            return []
        return [Statement((), statement.sides[1:], 0)]


def amounts_of(side: Node, values: Callable[[str], list[Value]]) -> list[Value]:
    """What an expression may amount to; none where a symbol has no value."""
    names = sorted({name for node in walk(side) if (name := name_of(node))})
    found = []
    for each in islice(
        product(*(map(as_float, values(name)) for name in names)), _COMBINATIONS
    ):
        try:
            amount = evaluate(side, dict(zip(names, each)))
        except (Unknown, ArithmeticError, ValueError, TypeError):
            continue
        if not isinstance(amount, complex):
            found.append(as_value(amount))
    return list(dict.fromkeys(found))


def last_number(statement: Statement) -> Value | None:
    values = [v for v in map(plain_value, statement.sides) if v is not None]
    return values[-1] if values else None


def as_float(value: Value) -> Amount:
    return tuple(n.value for n in value) if isinstance(value, tuple) else value.value


def as_value(amount: Amount) -> Value:
    return (
        tuple(map(Number, amount))
        if isinstance(amount, tuple)
        else Number(float(amount))
    )
