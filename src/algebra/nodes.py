"""What formulas are made of: one class for each kind of expression, and statements."""

from dataclasses import dataclass, field, fields
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple


class Index(NamedTuple):
    """A letter, if there is one, and a number that is added to it."""

    letter: str
    offset: int


@dataclass(frozen=True)
class Node:
    """A part of a formula, and where it begins."""

    position: int = field(compare=False)

    @cached_property
    def parts(self) -> tuple:
        """What it is made of: nodes, words, numbers and tuples of such."""
        return tuple(getattr(self, each.name) for each in fields(self)[1:])


@dataclass(frozen=True)
class Statement:
    """A chain of expressions between relations, or symbols in a domain; an
    expression alone has no relation."""

    relations: tuple[str, ...]
    sides: tuple[Node, ...]
    position: int = field(compare=False)


@dataclass(frozen=True)
class Number(Node):
    value: Fraction
    decimals: int = 0


@dataclass(frozen=True)
class Constant(Node):
    """``e``, ``pi``, ``i`` or ``infty``."""

    name: str


@dataclass(frozen=True)
class Symbol(Node):
    name: str
    indices: tuple[Index, ...] = ()
    word: str = ""
    """A subscript that is a part of the name."""


@dataclass(frozen=True)
class Group(Node):
    inner: Node


@dataclass(frozen=True)
class Role(Node):
    """What is marked as upstream, local or downstream."""

    role: str
    inner: Node


@dataclass(frozen=True)
class Sum(Node):
    terms: tuple[tuple[int, Node], ...]
    """Each with its sign."""


@dataclass(frozen=True)
class Product(Node):
    factors: tuple[Node, ...]


@dataclass(frozen=True)
class Elementwise(Node):
    one: Node
    other: Node


@dataclass(frozen=True)
class Quotient(Node):
    above: Node
    below: Node


@dataclass(frozen=True)
class Power(Node):
    base: Node
    exponent: Node


@dataclass(frozen=True)
class Transpose(Node):
    inner: Node


@dataclass(frozen=True)
class Abs(Node):
    inner: Node


@dataclass(frozen=True)
class Norm(Node):
    inner: Node
    which: str


@dataclass(frozen=True)
class Pairing(Node):
    one: Node
    other: Node


@dataclass(frozen=True)
class Matrix(Node):
    rows: tuple[tuple[Node, ...], ...]
    name: str


@dataclass(frozen=True)
class Cases(Node):
    pieces: tuple[tuple[Node, Statement | None], ...]


@dataclass(frozen=True)
class Bracket(Node):
    """1 where a condition holds, and 0 elsewhere."""

    condition: Statement


@dataclass(frozen=True)
class Over(Node):
    """What runs over indices: from one limit to another, or over all of them."""

    letters: tuple[str, ...]
    body: Node
    limits: tuple[Node, ...] = ()
    condition: Statement | None = None


@dataclass(frozen=True)
class Total(Over):
    """A sum over indices."""


@dataclass(frozen=True)
class WholeProduct(Over):
    """A product over indices."""


@dataclass(frozen=True)
class Extreme(Node):
    """The largest or the smallest over indices."""

    letters: tuple[str, ...]
    body: Node
    name: str


@dataclass(frozen=True)
class Integral(Node):
    low: Node
    high: Node
    body: Node
    by: Symbol


@dataclass(frozen=True)
class Limit(Node):
    by: Symbol
    point: Node
    sides: str
    body: Node


@dataclass(frozen=True)
class Call(Node):
    name: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True)
class Slope(Node):
    """``f'(x)``"""

    call: Call
    order: int


@dataclass(frozen=True)
class Bar(Node):
    """The gradient of the loss with respect to a symbol."""

    symbol: Symbol


@dataclass(frozen=True)
class Differential(Node):
    of: Node
    order: int


@dataclass(frozen=True)
class Derivative(Node):
    above: Node
    by: Node
    order: int


@dataclass(frozen=True)
class Gradient(Node):
    above: Node
    by: Node


@dataclass(frozen=True)
class Order(Node):
    """``O(h^2)``"""

    size: Node


@dataclass(frozen=True)
class Domain(Node):
    field: str
    sizes: tuple[str, ...]


@dataclass(frozen=True)
class Operator(Node):
    r"""``\d`` alone, above a line."""

    order: int
