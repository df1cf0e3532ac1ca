"""What can be told of a formula's tree alone."""

from collections.abc import Callable, Iterator

from .latex import Node, Statement

Tree = Node | Statement | tuple
"""What may have parts; parts that are words or numbers have none."""

_NUMERIC = {
    "number",
    "sum",
    "product",
    "quotient",
    "power",
    "matrix",
    "role",
    "group",
    "e",
    "pi",
    "i",
    "infty",
}


def walk(node: Tree, skip: Callable[[Node], bool] = lambda _: False) -> Iterator[Node]:
    """Every node of a tree, or of several, but for some with all that is in them."""
    if isinstance(node, Node):
        if skip(node):
            return
        yield node
        node = node.parts
    elif isinstance(node, Statement):
        node = node.sides
    for part in node if isinstance(node, tuple) else ():
        yield from walk(part, skip)


def symbols(
    node: Tree, skip: Callable[[Node], bool] = lambda _: False
) -> Iterator[Node]:
    """Every symbol of a tree."""
    return (each for each in walk(node, skip) if each.kind == "symbol")


def bare(node: Node) -> Node:
    """Without the marks of roles and parentheses."""
    while node.kind in ("role", "group"):
        node = node.parts[-1]
    return node


def is_numeric(node: Node) -> bool:
    """Whether numbers are all that a side has."""
    return all(each.kind in _NUMERIC for each in walk(node))


def is_condition(statement: Statement) -> bool:
    """Symbols between numbers, such as ``x > 0`` or ``1 \\le s \\le 2``."""
    if not set(statement.relations) <= set("<>≤≥≠"):
        return False
    sides = [bare(side) for side in statement.sides]
    return any(side.kind == "symbol" for side in sides) and all(
        side.kind == "symbol" or is_numeric(side) for side in sides
    )


def is_upstream(node: Node) -> bool:
    return node.kind == "role" and node.parts[0] == "upstream"


def free_indices(node: Tree) -> set[str]:
    """The index letters that no sum binds."""
    if not isinstance(node, Node):
        parts = node if isinstance(node, tuple) else getattr(node, "sides", ())
        return set().union(*map(free_indices, parts))
    if node.kind == "symbol":
        return {
            index[0]
            for index in node.parts[1]
            if not isinstance(index, str) and index[0]
        }
    inner = set().union(*map(free_indices, node.parts))
    if node.kind in ("total", "whole product"):
        return inner - set(node.parts[0])
    return inner


def indices_of(symbol: Node) -> tuple[str, tuple]:
    """The name of a symbol and its subscript, if that is indices."""
    name, subscript = symbol.parts
    if any(isinstance(index, str) for index in subscript):
        return name, ()
    return name, subscript
