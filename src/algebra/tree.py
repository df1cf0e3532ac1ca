"""Questions about a formula that its syntax tree alone answers."""

from collections.abc import Callable, Iterator

from . import nodes
from .nodes import Node, Statement, Symbol

Tree = Node | Statement | tuple
"""A node, a statement, or several of them; words and numbers have no parts."""

Form = tuple
"""An expression for comparisons, without parentheses and roles."""

_ARITHMETIC = nodes.Number | nodes.Constant | nodes.Sum | nodes.Product | nodes.Quotient
_NUMERIC = _ARITHMETIC | nodes.Power | nodes.Matrix | nodes.Role | nodes.Group


def walk(tree: Tree, skip: Callable[[Node], bool] = lambda _: False) -> Iterator[Node]:
    """Return all nodes of a tree, parents first.

    Args:
        tree: where to begin.
        skip: whether to leave out a node with all its parts.
    """
    stack: list[object] = [tree]
    while stack:
        part = stack.pop()
        if isinstance(part, Node):
            if skip(part):
                continue
            yield part
            stack += part.parts[::-1]
        elif isinstance(part, Statement):
            stack += part.sides[::-1]
        elif isinstance(part, tuple):
            stack += part[::-1]


def symbols(
    tree: Tree, skip: Callable[[Node], bool] = lambda _: False
) -> Iterator[Symbol]:
    """Return all symbols of a tree; ``skip`` is as for ``walk``."""
    return (node for node in walk(tree, skip) if isinstance(node, Symbol))


def bare(node: Node) -> Node:
    """Return a node without the roles and parentheses around it."""
    while isinstance(node, nodes.Role | nodes.Group):
        node = node.inner
    return node


def form(tree: object) -> Form:
    """Return a value that is equal for trees that differ in parentheses and roles."""
    if isinstance(tree, Statement):
        return (tree.relations, *map(form, tree.sides))
    if isinstance(tree, tuple):
        return tuple(map(form, tree))
    if not isinstance(tree, Node):
        return (tree,)
    node = bare(tree)
    return (type(node), *map(form, node.parts))


def is_numeric(node: Node) -> bool:
    """Return whether a side consists of numbers alone."""
    return all(isinstance(part, _NUMERIC) for part in walk(node))


def is_condition(statement: Statement) -> bool:
    r"""Return whether symbols are compared with numbers, as in ``1 \le s \le 2``."""
    if not set(statement.relations) <= set("<>≤≥≠"):
        return False
    sides = [bare(side) for side in statement.sides]
    return any(isinstance(side, Symbol) for side in sides) and all(
        isinstance(side, Symbol) or is_numeric(side) for side in sides
    )


def is_upstream(node: Node) -> bool:
    return isinstance(node, nodes.Role) and node.role == "upstream"


def free_indices(tree: Tree) -> set[str]:
    """Return the index letters that no sum binds."""
    if not isinstance(tree, Node):
        parts = tree if isinstance(tree, tuple) else getattr(tree, "sides", ())
        return set().union(*map(free_indices, parts))
    if isinstance(tree, Symbol):
        return {index.letter for index in tree.indices if index.letter}
    letters = set().union(*map(free_indices, tree.parts))
    return (
        letters - set(tree.letters) if isinstance(tree, nodes.IndexedSum) else letters
    )
