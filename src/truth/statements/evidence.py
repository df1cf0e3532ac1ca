"""What the assertions of a test compared: its evidence.

Every verdict depends on this file, so nothing stands here that verdicts don't need.
"""

import ast
import math
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np

MOST_VALUES = 64
"""Elements of an array that are looked at."""
MOST_AT_A_PLACE = 24
"""Different values of one operand: more were drawn at random, and vouch for nothing."""
_LONGEST = 2000
"""Letters of a text that are kept."""
_SEEN, _REACHED = "_seen_by_truth", "_reached_by_truth"
_COMPARES = ("same", "isclose", "allclose", "array_equal")
"""Functions whose arguments an assertion compares."""

# Values.


@dataclass
class Evidence:
    """The values that the assertions of one test compared."""

    numbers: set[float] = field(default_factory=set)
    counts: set[int] = field(default_factory=set)
    """Integers of Python that were compared as such, and lengths."""
    texts: set[str] = field(default_factory=set)


class Collector:
    """Takes in what the operands of assertions are, place by place."""

    def __init__(self) -> None:
        self._places: dict[int, Evidence] = {}
        self.reached: set[int] = set()
        """The lines of the assertions that were tried."""

    def clear(self) -> None:
        self._places.clear()
        self.reached.clear()

    def reaches(self, line: int) -> bool:
        self.reached.add(line)
        return True

    def seen(self, place: int, value: Any) -> Any:
        """Keep what an operand was, and return it."""
        its = self._places.setdefault(place, Evidence())
        if len(its.numbers) <= MOST_AT_A_PLACE and len(its.texts) <= MOST_AT_A_PLACE:
            _take(value, its)
        return value

    def evidence(self) -> Evidence:
        found = Evidence()
        for its in self._places.values():
            if len(its.numbers) <= MOST_AT_A_PLACE:
                found.numbers |= its.numbers
                found.counts |= its.counts
            if len(its.texts) <= MOST_AT_A_PLACE:
                found.texts |= its.texts
        return found


def _take(value: Any, its: Evidence, deep: int = 0) -> None:
    if value is None or isinstance(value, bool | np.bool_):
        return
    if isinstance(value, int | np.integer):
        its.counts |= set() if deep else {int(value)}
        its.numbers.add(float(value))
    elif isinstance(value, float | np.floating):
        if math.isfinite(value):
            its.numbers.add(float(value))
    elif isinstance(value, complex):
        its.numbers |= {
            each for each in (value.real, value.imag) if math.isfinite(each)
        }
    elif isinstance(value, str):
        its.texts.add(" ".join(value[:_LONGEST].split()))
    elif isinstance(value, dict | list | tuple | set | frozenset):
        its.counts |= set() if deep else {len(value)}
        its.numbers.add(float(len(value)))
        for each in list(value)[:MOST_VALUES] if deep < 4 else ():
            _take(each, its, deep + 1)
        if isinstance(value, dict) and deep < 4:
            for each in list(value.values())[:MOST_VALUES]:
                _take(each, its, deep + 1)
    else:
        array = _array(value)
        if array is not None and array.size <= MOST_VALUES:
            for each in array.ravel().tolist():
                _take(each, its, 4)


def _array(value: Any) -> np.ndarray | None:
    """A tensor of eager mode, or an array, of numbers."""
    try:
        array = value.numpy() if hasattr(value, "numpy") else value
        if isinstance(array, np.ndarray | np.generic):
            found = np.asarray(array)
            if found.dtype.kind in "iufc":
                return found
            if found.dtype.kind == "V":  # bfloat16
                return found.astype(np.float32)
    except Exception:  # a symbolic tensor has no value
        return None
    return None


def compiled(source: str, path: Path) -> CodeType:
    """A file of tests, with assertions that hand on what they compare, and that no
    setting of Python removes."""
    tree = _Assertions().visit(ast.parse(source, str(path)))
    return compile(ast.fix_missing_locations(tree), str(path), "exec")


class _Assertions(ast.NodeTransformer):
    """``assert a == b`` becomes ``if reached(LINE) and not (seen(0, a) == seen(1, b)):
    raise …``."""

    def __init__(self) -> None:
        self._places = 0

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        test = _Operands(self).visit(node.test)
        error = ast.Call(
            ast.Name("AssertionError", ast.Load()), [node.msg] if node.msg else [], []
        )
        reached = ast.Call(
            ast.Name(_REACHED, ast.Load()), [ast.Constant(node.lineno)], []
        )
        fails = ast.BoolOp(ast.And(), [reached, ast.UnaryOp(ast.Not(), test)])
        check = ast.If(fails, [ast.Raise(exc=error, cause=None)], [])
        return ast.copy_location(check, node)

    def seen(self, node: ast.expr) -> ast.expr:
        if isinstance(node, ast.Starred | ast.NamedExpr):
            return node
        self._places += 1
        call = ast.Call(
            ast.Name(_SEEN, ast.Load()), [ast.Constant(self._places), node], []
        )
        return ast.copy_location(call, node)


class _Operands(ast.NodeTransformer):
    def __init__(self, outer: _Assertions) -> None:
        self._outer = outer

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if any(
            isinstance(each, ast.NotEq | ast.NotIn | ast.IsNot) for each in node.ops
        ):
            return node  # what something isn't vouches for nothing
        node.left = self._outer.seen(node.left)
        node.comparators = [self._outer.seen(each) for each in node.comparators]
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if ast.unparse(node.func).rpartition(".")[2] in _COMPARES:
            node.args = [self._outer.seen(each) for each in node.args]
        return node


def names_for(collector: Collector) -> dict[str, Any]:
    """What a compiled file of tests needs among its names."""
    return {_SEEN: collector.seen, _REACHED: collector.reaches}
