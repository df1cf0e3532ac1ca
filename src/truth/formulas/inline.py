"""What running text shows of formulas: where it stands as well.

A formula is **compound** if it has more than one symbol; numbers alone are a number,
and checked as such. Two expressions are the same here if they differ in parentheses,
roles, how products and sums are nested, and where a number stands in a product.
"""

import itertools
from collections.abc import Iterator
from fractions import Fraction

from .latex import FUNCTIONS, Node, Statement
from .tree import Tree, bare, is_numeric, walk

Flat = tuple
"""An expression without what does not change it."""


def is_compound(statement: Statement) -> bool:
    if statement.relations:
        return True
    (side,) = map(bare, statement.sides)
    while side.kind in ("bar", "d", "transpose"):
        side = bare(side.parts[0])
    if side.kind == "slope":
        side = side.parts[0]
    if side.kind == "call" and side.parts[0] not in FUNCTIONS:
        return any(bare(each).kind != "symbol" for each in side.parts[1])
    kinds = [
        (part.kind, bare(part).kind)
        for part in side.parts[:2]
        if side.kind == "product"
    ]
    if kinds == [("symbol", "symbol"), ("group", "symbol")]:
        return False  # s(x), a function with its argument
    return side.kind != "symbol" and not is_numeric(side)


def expressions(tree: Tree) -> set[Flat]:
    """Every expression in a tree, every run of terms or factors in it, and what
    each relation says."""
    found: set[Flat] = set()
    for node in walk(tree):
        found |= set(_runs(flat(node)))
        found.update(*(pairs(p) for p in node.parts if isinstance(p, Statement)))
    if isinstance(tree, Statement):
        found |= set(pairs(tree))
    return found


def _runs(whole: Flat) -> Iterator[Flat]:
    kind, *items = whole
    for start in range(len(items)):
        for end in range(start + 1, len(items) + 1):
            if kind == "sum":
                yield unsigned(("sum", *items[start:end]))
            elif start:
                yield ("term", Fraction(1), *items[start:end])
            else:
                yield ("term", abs(items[0]), *items[1:end])


def unsigned(whole: Flat) -> Flat:
    """With the sign of the first term taken out."""
    terms = whole[1:] if whole[0] == "sum" else (whole,)
    if terms[0][1] < 0:
        terms = tuple(("term", -number, *factors) for _, number, *factors in terms)
    return terms[0] if len(terms) == 1 else ("sum", *terms)


def pairs(statement: Statement) -> list[Flat]:
    """What each relation of a statement says."""
    sides = [flat(side) for side in statement.sides]
    return list(zip(statement.relations, sides, sides[1:]))


def flat(tree: Tree) -> Flat:
    if isinstance(tree, Statement):
        return (tree.relations, *map(flat, tree.sides))
    if not isinstance(tree, Node):
        parts = (Node, Statement, tuple)
        return tuple(flat(e) if isinstance(e, parts) else e for e in tree)
    node = bare(tree)
    terms = _terms(node, 1) if node.kind == "sum" else [_factors(node)]
    found = [("term", number, *factors) for number, factors in terms]
    return found[0] if len(found) == 1 else ("sum", *found)


def _terms(node: Node, sign: int) -> Iterator[tuple[Fraction, list[Flat]]]:
    for own, term in node.parts:
        if (inner := bare(term)).kind == "sum":
            yield from _terms(inner, sign * own)
        else:
            number, factors = _factors(inner)
            yield sign * own * number, factors


def _factors(node: Node) -> tuple[Fraction, list[Flat]]:
    node = bare(node)
    if node.kind == "number":
        return node.parts[0], []
    if node.kind == "sum" and len(node.parts) == 1:
        ((number, factors),) = _terms(node, 1)
        return number, factors
    if node.kind in ("product", "elementwise"):
        number, factors = Fraction(1), []
        for own, more in map(_factors, node.parts):
            number *= own
            factors += more
        return number, _multiplied(factors)
    if node.kind == "quotient":
        (number, above), (other, below) = map(_factors, node.parts)
        if other:
            return number / other, above + [("over", *below)] * bool(below)
    return Fraction(1), [(node.kind, *flat(node.parts))]


def _multiplied(factors: list[Flat]) -> list[Flat]:
    """With ``x x`` as ``x^2``."""
    merged: list[Flat] = []
    for base, group in itertools.groupby(map(_based, factors), lambda each: each[0]):
        exponent = sum(number for _, number in group)
        power = ("power", ("term", Fraction(1), base), ("term", Fraction(exponent)))
        merged.append(base if exponent == 1 else power)
    return merged


def _based(factor: Flat) -> tuple[Flat, Fraction]:
    match factor:
        case "power", ("term", 1, base), ("term", exponent):
            return base, exponent
    return factor, Fraction(1)
