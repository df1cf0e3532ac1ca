"""What can be told of a formula's tree alone."""

from collections.abc import Callable, Iterator

from .nodes import (
    Constant,
    Extreme,
    Group,
    Matrix,
    Node,
    Number,
    Over,
    Power,
    Product,
    Quotient,
    Role,
    Statement,
    Sum,
    Symbol,
)

Tree = Node | Statement | tuple
"""What may have parts; parts that are words or numbers have none."""

_NUMERIC = Number | Constant | Sum | Product | Quotient | Power | Matrix | Role | Group


def walk(node: Tree, skip: Callable[[Node], bool] = lambda _: False) -> Iterator[Node]:
    """Every node of a tree, or of several, but for some with all that is in them."""
    left: list[object] = [node]
    while left:
        first = left.pop()
        if isinstance(first, Node):
            if skip(first):
                continue
            yield first
            left += first.parts[::-1]
        elif isinstance(first, Statement):
            left += first.sides[::-1]
        elif isinstance(first, tuple):
            left += first[::-1]


def symbols(
    node: Tree, skip: Callable[[Node], bool] = lambda _: False
) -> Iterator[Symbol]:
    """Every symbol of a tree."""
    return (each for each in walk(node, skip) if isinstance(each, Symbol))


def bare(node: Node) -> Node:
    """Without the marks of roles and parentheses."""
    while isinstance(node, Role | Group):
        node = node.inner
    return node


def is_numeric(node: Node) -> bool:
    """Whether numbers are all that a side has."""
    return all(isinstance(each, _NUMERIC) for each in walk(node))


def is_condition(statement: Statement) -> bool:
    """Symbols between numbers, such as ``x > 0`` or ``1 \\le s \\le 2``."""
    if not set(statement.relations) <= set("<>≤≥≠"):
        return False
    sides = [bare(side) for side in statement.sides]
    return any(isinstance(side, Symbol) for side in sides) and all(
        isinstance(side, Symbol) or is_numeric(side) for side in sides
    )


def is_upstream(node: Node) -> bool:
    return isinstance(node, Role) and node.role == "upstream"


def free_indices(node: Tree) -> set[str]:
    """The index letters that no sum binds."""
    if not isinstance(node, Node):
        parts = node if isinstance(node, tuple) else getattr(node, "sides", ())
        return set().union(*map(free_indices, parts))
    if isinstance(node, Symbol):
        return {index.letter for index in node.indices if index.letter}
    inner = set().union(*map(free_indices, node.parts))
    if isinstance(node, Over | Extreme):
        return inner - set(node.letters)
    return inner
