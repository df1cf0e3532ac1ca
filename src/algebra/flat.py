"""What running text shows of formulas: where it stands as well.

A formula is **compound** if it has more than one symbol; numbers alone state nothing.
Two expressions are the same here if they differ in parentheses, roles, how products and
sums are nested, and where a number stands in a product.
"""

import itertools
from collections.abc import Iterator
from fractions import Fraction

from .latex import FUNCTIONS
from .nodes import (
    Bar,
    Call,
    Differential,
    Elementwise,
    Group,
    Node,
    Number,
    Product,
    Quotient,
    Slope,
    Statement,
    Sum,
    Symbol,
    Transpose,
)
from .tree import Tree, bare, is_numeric, walk

Flat = tuple
"""An expression without what does not change it."""


def is_compound(statement: Statement) -> bool:
    if statement.relations:
        return True
    (side,) = map(bare, statement.sides)
    while isinstance(side, Bar | Differential | Transpose):
        side = bare(side.parts[0])
    if isinstance(side, Slope):
        side = side.call
    match side:
        case Call(_, name, arguments) if name not in FUNCTIONS:
            return any(not isinstance(bare(each), Symbol) for each in arguments)
        case Product(_, (Symbol(), Group(_, inner), *_)) if isinstance(
            bare(inner), Symbol
        ):
            return False  # s(x), a function with its argument
    return not isinstance(side, Symbol) and not is_numeric(side)


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
    terms = _terms(node, 1) if isinstance(node, Sum) else [_factors(node)]
    found = [("term", number, *factors) for number, factors in terms]
    return found[0] if len(found) == 1 else ("sum", *found)


def _terms(node: Sum, sign: int) -> Iterator[tuple[Fraction, list[Flat]]]:
    for own, term in node.terms:
        if isinstance(inner := bare(term), Sum):
            yield from _terms(inner, sign * own)
        else:
            number, factors = _factors(inner)
            yield sign * own * number, factors


def _factors(node: Node) -> tuple[Fraction, list[Flat]]:
    node = bare(node)
    if isinstance(node, Number):
        return node.value, []
    if isinstance(node, Sum) and len(node.terms) == 1:
        ((number, factors),) = _terms(node, 1)
        return number, factors
    if isinstance(node, Product | Elementwise):
        inner = node.factors if isinstance(node, Product) else node.parts
        number, factors = Fraction(1), []
        for own, more in map(_factors, inner):
            number *= own
            factors += more
        return number, _multiplied(factors)
    if isinstance(node, Quotient):
        (number, above), (other, below) = map(_factors, node.parts)
        if other:
            return number / other, above + [("over", *below)] * bool(below)
    return Fraction(1), [(type(node).__name__, *flat(node.parts))]


def _multiplied(factors: list[Flat]) -> list[Flat]:
    """With ``x x`` as ``x^2``."""
    merged: list[Flat] = []
    for base, group in itertools.groupby(map(_based, factors), lambda each: each[0]):
        exponent = sum(number for _, number in group)
        power = ("Power", ("term", Fraction(1), base), ("term", Fraction(exponent)))
        merged.append(base if exponent == 1 else power)
    return merged


def _based(factor: Flat) -> tuple[Flat, Fraction]:
    match factor:
        case "Power", ("term", 1, base), ("term", exponent):
            return base, exponent
    return factor, Fraction(1)
