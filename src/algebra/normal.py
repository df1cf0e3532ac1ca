"""Normal forms, by which an expression is found in other formulas.

The normal forms of two expressions are equal if they differ only in parentheses and
roles, in how products and sums are nested, and in the place of a number in a product.
"""

import itertools
from collections.abc import Iterator
from fractions import Fraction

from . import nodes
from .nodes import Node, Number, Statement, Sum, Symbol
from .tokens import FUNCTIONS
from .tree import Tree, bare, is_numeric, walk

NormalForm = tuple
"""``("sum", term, …)``, or ``("term", number, factor, …)``."""


def is_compound(statement: Statement) -> bool:
    """Return whether a statement is more than numbers, or one symbol."""
    if statement.relations:
        return True
    (side,) = map(bare, statement.sides)
    while isinstance(side, nodes.Bar | nodes.Differential | nodes.Transpose):
        side = bare(side.parts[0])
    if isinstance(side, nodes.PrimedCall):
        side = side.call
    match side:
        case nodes.Call(_, name, arguments) if name not in FUNCTIONS:
            return any(not isinstance(bare(each), Symbol) for each in arguments)
        case nodes.Product(_, (Symbol(), nodes.Group(_, inner), *_)) if isinstance(
            bare(inner), Symbol
        ):
            return False  # s(x), a function with its argument
    return not isinstance(side, Symbol) and not is_numeric(side)


def all_normal_forms(tree: Tree) -> set[NormalForm]:
    """Return the normal forms of all expressions in a tree.

    Among them are all runs of terms or factors, and, as in ``relation_forms``, the
    relations of all statements.
    """
    forms: set[NormalForm] = set()
    for node in walk(tree):
        forms |= set(_runs(normal_form(node)))
        for part in node.parts:
            if isinstance(part, Statement):
                forms |= set(relation_forms(part))
    return forms | set(relation_forms(tree) if isinstance(tree, Statement) else ())


def _runs(form: NormalForm) -> Iterator[NormalForm]:
    kind, *items = form
    for start in range(len(items)):
        for end in range(start + 1, len(items) + 1):
            if kind == "sum":
                yield unsigned(("sum", *items[start:end]))
            elif start:
                yield ("term", Fraction(1), *items[start:end])
            else:
                yield ("term", abs(items[0]), *items[1:end])


def unsigned(form: NormalForm) -> NormalForm:
    """Return a normal form, or its negative, whose first term is positive."""
    terms = form[1:] if form[0] == "sum" else (form,)
    if terms[0][1] < 0:
        terms = tuple(("term", -number, *factors) for _, number, *factors in terms)
    return terms[0] if len(terms) == 1 else ("sum", *terms)


def relation_forms(statement: Statement) -> list[NormalForm]:
    """Return each relation of a statement with the normal forms of its sides."""
    sides = [normal_form(side) for side in statement.sides]
    return list(zip(statement.relations, sides, sides[1:]))


def normal_form(tree: Tree) -> NormalForm:
    """Return the normal form of a node, or those of a statement or a tuple."""
    if isinstance(tree, Statement):
        return (tree.relations, *map(normal_form, tree.sides))
    if not isinstance(tree, Node):
        parts = (Node, Statement, tuple)
        return tuple(normal_form(e) if isinstance(e, parts) else e for e in tree)
    node = bare(tree)
    terms = _terms(node, 1) if isinstance(node, Sum) else [_factors(node)]
    forms = [("term", number, *factors) for number, factors in terms]
    return forms[0] if len(forms) == 1 else ("sum", *forms)


def _terms(node: Sum, sign: int) -> Iterator[tuple[Fraction, list[NormalForm]]]:
    for inner_sign, term in node.terms:
        if isinstance(inner := bare(term), Sum):
            yield from _terms(inner, sign * inner_sign)
        else:
            number, factors = _factors(inner)
            yield sign * inner_sign * number, factors


def _factors(node: Node) -> tuple[Fraction, list[NormalForm]]:
    """Return the number of a product, and its other factors."""
    node = bare(node)
    if isinstance(node, Number):
        return node.value, []
    if isinstance(node, Sum) and len(node.terms) == 1:
        ((number, factors),) = _terms(node, 1)
        return number, factors
    if isinstance(node, nodes.Product | nodes.Elementwise):
        number, factors = Fraction(1), []
        for part in node.factors if isinstance(node, nodes.Product) else node.parts:
            inner_number, inner_factors = _factors(part)
            number *= inner_number
            factors += inner_factors
        return number, _with_powers(factors)
    if isinstance(node, nodes.Quotient):
        (number, above), (divisor, below) = map(_factors, node.parts)
        if divisor:
            return number / divisor, above + [("over", *below)] * bool(below)
    return Fraction(1), [(type(node).__name__, *normal_form(node.parts))]


def _with_powers(factors: list[NormalForm]) -> list[NormalForm]:
    """Write ``x x`` as ``x^2``."""
    merged: list[NormalForm] = []
    for base, group in itertools.groupby(map(_power, factors), lambda pair: pair[0]):
        exponent = sum(number for _, number in group)
        power = ("Power", ("term", Fraction(1), base), ("term", Fraction(exponent)))
        merged.append(base if exponent == 1 else power)
    return merged


def _power(factor: NormalForm) -> tuple[NormalForm, Fraction]:
    """Return the base and the exponent of a factor."""
    match factor:
        case "Power", ("term", 1, base), ("term", exponent):
            return base, exponent
    return factor, Fraction(1)
