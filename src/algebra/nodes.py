"""The syntax tree of a formula: one class for each kind of expression, and statements.

A field ``position`` is an offset in the LaTeX and takes no part in comparisons.
"""

from dataclasses import dataclass, field, fields
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple, dataclass_transform


class Index(NamedTuple):
    """A letter, which may be empty, plus a number."""

    letter: str
    offset: int


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
@dataclass(frozen=True)
class Node:
    """An expression; its subclasses are frozen dataclasses, too."""

    position: int = field(compare=False)

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True)(cls)

    @cached_property
    def parts(self) -> tuple:
        """Its fields: nodes, statements, words, numbers, and tuples of these."""
        return tuple(getattr(self, each.name) for each in fields(self)[1:])


@dataclass(frozen=True)
class Statement:
    """A chain of expressions between relations, or symbols in a space.

    An expression alone is a statement without relations.
    """

    relations: tuple[str, ...]
    sides: tuple[Node, ...]
    position: int = field(compare=False)


class Number(Node):
    value: Fraction
    decimals: int = 0


class Constant(Node):
    """``e``, ``pi``, ``i`` or ``infty``."""

    name: str


class Symbol(Node):
    name: str
    indices: tuple[Index, ...] = ()


class Group(Node):
    inner: Node


class Role(Node):
    """An expression marked as ``upstream``, ``local`` or ``downstream``."""

    role: str
    inner: Node


class Sum(Node):
    terms: tuple[tuple[int, Node], ...]
    """Pairs of a sign, 1 or -1, and a term."""


class Product(Node):
    factors: tuple[Node, ...]


class Elementwise(Node):
    left: Node
    right: Node


class Quotient(Node):
    above: Node
    below: Node


class Power(Node):
    base: Node
    exponent: Node


class Transpose(Node):
    inner: Node


class Abs(Node):
    inner: Node


class Norm(Node):
    inner: Node


class InnerProduct(Node):
    left: Node
    right: Node


class Matrix(Node):
    rows: tuple[tuple[Node, ...], ...]
    name: str


class Cases(Node):
    pieces: tuple[tuple[Node, Statement | None], ...]


class Bracket(Node):
    """1 where a condition holds, and 0 elsewhere."""

    condition: Statement


class IndexedSum(Node):
    """A sum over index letters.

    Without ``limits``, they run from 1 to the sizes of the arrays that carry them.
    """

    letters: tuple[str, ...]
    body: Node
    limits: tuple[Node, ...] = ()


class Integral(Node):
    low: Node
    high: Node
    body: Node
    variable: Symbol


class Call(Node):
    name: str
    arguments: tuple[Node, ...]


class PrimedCall(Node):
    """``f'(x)``"""

    call: Call
    order: int


class Bar(Node):
    """The gradient of the loss with respect to a symbol."""

    symbol: Symbol


class Differential(Node):
    inner: Node
    order: int


class DifferentialOperator(Node):
    r"""``\d`` alone, above a line."""

    order: int


class Derivative(Node):
    function: Node
    variable: Node
    order: int


class Space(Node):
    r"""``\R^{n \times m}``"""

    field: str
    sizes: tuple[str, ...]
