"""Record the variables of each function when it returns, and of a program at its end.

The formulas of its page are evaluated at these values.
"""

import ast
import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np
import tensorflow as tf

from .recording import as_lists, copied

BUILTIN = "__kept__"
"""The name of the builtin function that a prepared program calls."""
MOST_CALLS, MOST_LETTERS, MOST_NUMBERS = 3, 3000, 100
"""Calls of a function, letters of a call, and elements of an array, at most."""


def prepared(source: str) -> ast.AST | str:
    """Return a program whose functions report what they return, and their variables."""
    try:
        return ast.fix_missing_locations(_Transformer().visit(ast.parse(source)))
    except SyntaxError:  # which ends the program
        return source


class _Transformer(ast.NodeTransformer):
    """Replaces the value of each ``return`` by a call of the builtin."""

    def visit_Return(self, node: ast.Return) -> ast.AST:
        if node.value:
            node.value = self._reported(node.value)
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        node.body = self._reported(node.body)
        return node

    def _reported(self, value: ast.expr) -> ast.expr:
        names = ast.Call(ast.Name("locals", ast.Load()), [], [])
        place = map(ast.Constant, (value.lineno, value.col_offset))
        arguments = [ast.Tuple([*place], ast.Load()), self.visit(value), names]
        call = ast.Call(ast.Name(BUILTIN, ast.Load()), arguments, [])
        return ast.copy_location(call, value)


class LocalValues:
    """The recorded calls of one program's functions."""

    def __init__(self) -> None:
        self._calls: defaultdict[tuple[int, int], list[dict]] = defaultdict(list)
        """The calls by line and column of what is returned; the program has 0, 0."""
        self._is_recording = True

    def record(self, place: tuple[int, int], value: Any, names: dict[str, Any]) -> Any:
        """Record the value and the local variables of a call; return the value.

        ``place`` has line and column of the returned expression.
        """
        calls = self._calls[place]
        if self._is_recording and len(calls) < MOST_CALLS and tf.executing_eagerly():
            with suppress(Exception):  # a value that can't be read isn't needed
                frame = sys._getframe(1)
                space = frame.f_globals
                used = {n: space[n] for n in frame.f_code.co_names if n in space}
                call = _as_json(value, used | names)
                is_small = len(json.dumps(call)) <= MOST_LETTERS
                if call["names"] and is_small and call not in calls:
                    calls.append(call)
        return value

    def end(self) -> list[list[dict]]:
        """Record the program's own variables, and return the calls of each function."""
        self.record((0, 0), (), vars(sys.modules["__main__"]))
        self._is_recording = False
        return [calls for _, calls in sorted(self._calls.items()) if calls]


def _as_json(value: Any, names: dict[str, Any]) -> dict:
    arrays = dict(pair for name in names for pair in _arrays(name, names[name]))
    parts = map(_array, tf.nest.flatten(value))
    return {"names": arrays, "returned": [part for part in parts if part is not None]}


def _arrays(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield an array with its name, also for a list of numbers, and for each key of a
    dictionary."""
    if isinstance(value, dict):
        for key, item in value.items():
            if isinstance(key, str):
                yield from _arrays(f"{name}_{key}", item)
    elif isinstance(value, list | tuple):
        items = list(map(_array, value))
        if items and None not in items and len({np.shape(i) for i in items}) == 1:
            yield name, items
    elif (array := _array(value)) is not None and not name.startswith("__"):
        yield name, array


def _array(value: Any) -> Any:
    if isinstance(value, bool | str) or not isinstance(
        value, tf.Tensor | tf.Variable | np.ndarray | np.number | float | int | complex
    ):
        return None
    array = as_lists(copied(value))
    return array if np.size(array) <= MOST_NUMBERS else None
