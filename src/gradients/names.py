"""What the functions of a program had by name when they returned, and the program
itself when it ended: its formulas are evaluated at that."""

import ast
import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from types import FrameType
from typing import Any

import numpy as np
import tensorflow as tf

from .records import Kept, plain

KEEP = "__kept__"
"""The builtin that a prepared program calls."""
CALLS, LETTERS, NUMBERS = 3, 3000, 100
"""Calls of a function that are kept, what each may take, and each array."""


def prepared(source: str) -> ast.AST | str:
    """The same program, whose functions tell what they return, and all their names."""
    try:
        return ast.fix_missing_locations(_Telling().visit(ast.parse(source)))
    except SyntaxError:  # which ends the program
        return source


class _Telling(ast.NodeTransformer):
    def visit_Return(self, node: ast.Return) -> ast.AST:
        if node.value:
            node.value = self._told(node.value, self.visit(node.value))
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        node.body = self._told(node.body, self.visit(node.body))
        return node

    def _told(self, at: ast.expr, value: ast.expr) -> ast.expr:
        names = ast.Call(ast.Name("locals", ast.Load()), [], [])
        place = map(ast.Constant, (at.lineno, at.col_offset))
        where = ast.Tuple([*place], ast.Load())
        told = ast.Call(ast.Name(KEEP, ast.Load()), [where, value, names], [])
        return ast.copy_location(told, at)


class Names:
    """What is kept of one program."""

    def __init__(self) -> None:
        self._calls: defaultdict[tuple[int, int], list[dict]] = defaultdict(list)
        """By the line and column of what is returned; the program's own are 0."""
        self.watching = True

    def keep(self, where: tuple[int, int], value: Any, names: dict[str, Any]) -> Any:
        """The value, unchanged."""
        calls = self._calls[where]
        if self.watching and len(calls) < CALLS and tf.executing_eagerly():
            with suppress(Exception):  # what cannot be read, nobody wants
                call = _told(value, _found(sys._getframe(1)) | names)
                small = len(json.dumps(call)) <= LETTERS
                if call["names"] and small and call not in calls:
                    calls.append(call)
        return value

    def end(self) -> list[list[dict]]:
        """Of each function its calls."""
        self.keep((0, 0), (), vars(sys.modules["__main__"]))
        self.watching = False
        return [calls for _, calls in sorted(self._calls.items()) if calls]


def _found(frame: FrameType) -> dict[str, Any]:
    """What a function finds around it."""
    around = frame.f_globals
    return {name: around[name] for name in frame.f_code.co_names if name in around}


def _told(value: Any, names: dict[str, Any]) -> dict:
    its = dict(each for name in names for each in _named(name, names[name]))
    parts = map(_number, tf.nest.flatten(value))
    return {"names": its, "returned": [each for each in parts if each is not None]}


def _named(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """An array, also of a list of numbers; what a dictionary holds, each by its key."""
    if isinstance(value, dict):
        for key, each in value.items():
            if isinstance(key, str):
                yield from _named(f"{name}_{key}", each)
    elif isinstance(value, list | tuple):
        items = list(map(_number, value))
        if items and None not in items and len({np.shape(i) for i in items}) == 1:
            yield name, items
    elif (number := _number(value)) is not None and not name.startswith("__"):
        yield name, number


def _number(value: Any) -> Any:
    if isinstance(value, bool | str) or not isinstance(
        value, tf.Tensor | tf.Variable | np.ndarray | np.number | float | int | complex
    ):
        return None
    number = plain(Kept.of(value))
    return number if np.size(number) <= NUMBERS else None
