"""What running text shows of formulas: where it stands as well.

A formula is **compound** if it has more than one symbol; numbers alone are a number,
and checked as such. Two expressions are the same here if they differ in parentheses,
roles, how products and sums are nested, and where a number stands in a product.
"""

import ast
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from .latex import CALLED, FUNCTIONS, Node, Statement
from .tree import Tree, bare, is_numeric, walk

Flat = tuple
"""An expression without what does not change it."""

_SAME_NAMES = {
    "reduce_sum": "sum",
    "reduce_mean": "mean",
    "reduce_logsumexp": "logsumexp",
    "reduce_max": "max",
    "reduce_min": "min",
    "maximum": "max",
    "minimum": "min",
    "real": "Re",
    "imag": "Im",
    "angle": "arg",
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "trace": "tr",
}
"""What formulas call what programs call so."""
_SAME = {"constant", "identity", "cast", "convert_to_tensor", "Variable", "float"}
_SAME |= {"stop_gradient"}
"""What returns its first argument."""
_OPERATORS: dict[type, str] = {
    ast.Mult: "product",
    ast.MatMult: "product",
    ast.Div: "quotient",
    ast.Pow: "power",
}


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


def expressions(tree: Tree, flattener: "Flattener") -> set[Flat]:
    """Every expression in a tree, every run of terms or factors in it, and what
    each relation says."""
    found: set[Flat] = set()
    for node in walk(tree):
        found |= set(_runs(flattener.flat(node)))
        found.update(
            *(flattener.pairs(p) for p in node.parts if isinstance(p, Statement))
        )
    if isinstance(tree, Statement):
        found |= set(flattener.pairs(tree))
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


@dataclass(frozen=True)
class Flattener:
    """Reads trees into what can be compared."""

    keeps_indices: bool = True
    """Programs have no indices, no accents and no capitals."""

    def pairs(self, statement: Statement) -> list[Flat]:
        sides = [self.flat(side) for side in statement.sides]
        return list(zip(statement.relations, sides, sides[1:]))

    def flat(self, tree: Tree) -> Flat:
        if isinstance(tree, Statement):
            return (tree.relations, *map(self.flat, tree.sides))
        if not isinstance(tree, Node):
            parts = (Node, Statement, tuple)
            return tuple(self.flat(e) if isinstance(e, parts) else e for e in tree)
        node = bare(tree)
        terms = self._terms(node, 1) if node.kind == "sum" else [self._factors(node)]
        found = [("term", number, *factors) for number, factors in terms]
        return found[0] if len(found) == 1 else ("sum", *found)

    def _terms(self, node: Node, sign: int) -> Iterator[tuple[Fraction, list[Flat]]]:
        for own, term in node.parts:
            if (inner := bare(term)).kind == "sum":
                yield from self._terms(inner, sign * own)
            else:
                number, factors = self._factors(inner)
                yield sign * own * number, factors

    def _factors(self, node: Node) -> tuple[Fraction, list[Flat]]:
        node = bare(node)
        if node.kind == "number":
            return node.parts[0], []
        if node.kind == "sum" and len(node.parts) == 1:
            ((number, factors),) = self._terms(node, 1)
            return number, factors
        if node.kind in ("product", "elementwise"):
            number, factors = Fraction(1), []
            for own, more in map(self._factors, node.parts):
                number *= own
                factors += more
            return number, _multiplied(factors)
        if node.kind == "quotient":
            (number, above), (other, below) = map(self._factors, node.parts)
            if other:
                return number / other, above + [("over", *below)] * bool(below)
        return Fraction(1), [self._atom(node)]

    def _atom(self, node: Node) -> Flat:
        if self.keeps_indices:
            return (node.kind, *self.flat(node.parts))
        match node.kind, node.parts:
            case "symbol", (str(name), indices):
                name = name.replace("\\", "").rpartition(" ")[2].strip("_").lower()
                if indices and all(len(i) == 2 and not i[0] for i in indices):
                    name += "".join(str(number) for _, number in indices)
                return ("symbol", "upstream" if name.startswith("upstream") else name)
            case "bar", _:
                return ("symbol", "upstream")
            case "total", (_, body, *_):
                return ("call", "sum", (self.flat(body),))
            case "norm", (inner, _):
                return ("call", "norm", (self.flat(inner),))
        return (node.kind, *self.flat(node.parts))


OF_PROGRAMS = Flattener(keeps_indices=False)


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


def of_program(text: str) -> set[Flat]:
    """Every expression of a program that a formula may show."""
    found: set[Flat] = set()
    try:
        tree = ast.parse(text)
    except SyntaxError:  # wrong on purpose, or none
        return found
    for node in ast.walk(tree):
        if isinstance(node, ast.expr) and (read := _read(node)):
            found |= expressions(read, OF_PROGRAMS)
        match node:
            case ast.Assign(targets=[ast.Name() as name], value=value):
                sides = tuple(filter(None, map(_read, (name, value))))
                if len(sides) == 2:
                    statement = Statement(("=",), sides, 0)
                    found |= set(OF_PROGRAMS.pairs(statement))
    return found


def _read(node: ast.expr) -> Node | None:
    """A program's expression; None if no formula shows such."""
    match node:
        case ast.Constant(value=int() | float() as value) if type(value) is not bool:
            return Node("number", (Fraction(str(value)), 0), 0)
        case ast.Name(id=name):
            return Node("symbol", (name, ()), 0)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            inner = _read(operand)
            return inner and Node("sum", ((-1, inner),), 0)
        case ast.BinOp(left=left, op=op, right=right):
            one, other = _read(left), _read(right)
            if one and other and isinstance(op, ast.Add | ast.Sub):
                sign = 1 if isinstance(op, ast.Add) else -1
                return Node("sum", ((1, one), (sign, other)), 0)
            if one and other and type(op) in _OPERATORS:
                return Node(_OPERATORS[type(op)], (one, other), 0)
        case ast.Call(func=func, args=[_, *_] as arguments):
            name = func.attr if isinstance(func, ast.Attribute) else ""
            name = getattr(func, "id", name)
            return _called(_SAME_NAMES.get(name, name), [*map(_read, arguments)])
        case ast.Subscript(slice=ast.Constant(value=str(name))):
            return Node("symbol", (name, ()), 0)
        case ast.Subscript(value=value):
            return _read(value)
    return None


def _called(name: str, arguments: list[Node | None]) -> Node | None:
    first, *others = arguments
    if first is None:
        return None
    if name in _SAME:
        return first
    if name in ("square", "sqrt"):
        exponent = Fraction(2) if name == "square" else Fraction(1, 2)
        return Node("power", (first, Node("number", (exponent, 0), 0)), 0)
    if name in ("multiply", "matmul", "matvec") and others and others[0]:
        return Node("product", (first, others[0]), 0)
    if name == "clip_by_value" and len(others) == 2 and others[0] and others[1]:
        inner = Node("call", ("min", (others[1], first)), 0)
        return Node("call", ("max", (others[0], inner)), 0)
    if name in ("transpose", "abs"):
        return Node(name, (first,), 0)
    if name == "norm":
        return Node("norm", (first, "F"), 0)
    if name not in FUNCTIONS | CALLED:
        return None
    several = name in ("max", "min", *CALLED)
    kept = [each for each in (arguments if several else [first]) if each]
    return Node("call", (name, tuple(kept)), 0)
