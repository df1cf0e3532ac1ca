"""The programs of the site: their text, their output, and what they define."""

import ast
import builtins
import contextlib
import functools
import io
import itertools
import linecache
import re
import runpy
import tempfile
import types
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

_SNIPPETS = Path(__file__).resolve().parents[2] / "snippets"
_PAIR = re.compile(
    r"(?P<name>[A-Za-z_][\w./ ()*^+-]*?)\s*[=:]\s*(?P<value>\[[^=]*?\]|\([^=]*?\)|\S+)"
    r"(?!\S)(?!\s*=)"
)
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|nan|inf)", re.IGNORECASE)


class Line(dict):
    """A line of an output: its values by name, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text
        for pair in _PAIR.finditer(text):
            self[pair["name"].split("  ")[-1].strip()] = _value(pair["value"])
            # In "backward x = 4" the name is x; "backward" belongs to the line.
            self.setdefault(pair["name"].split()[-1], _value(pair["value"]))

    @property
    def numbers(self) -> list[float]:
        """All numbers of the line, in their order."""
        return [float(number) for number in _NUMBER.findall(self.text)]


def _value(text: str) -> Any:
    if text[0] in "[(":
        return [float(number) for number in _NUMBER.findall(text)]
    text = text.rstrip(",;")
    return float(text) if _NUMBER.fullmatch(text) else text


class Output(list[Line]):
    """The lines of a program's output."""

    def starting(self, *words: str) -> list[Line]:
        """Return the lines that begin with one of the words."""
        return [line for line in self if line.text.startswith(words)]

    def line(self, word: str) -> Line:
        """Return the one line that contains a word."""
        [line] = [line for line in self if word in line.text]
        return line


def output(name: str) -> Output:
    """Read the output of a program, for example ``output("guide/tape/tape.py")``."""
    path = (_SNIPPETS / name).with_suffix(".out")
    return Output(map(Line, path.read_text("utf-8").splitlines()))


def source(name: str) -> str:
    """Read the text of a program, for example ``source("guide/tape/tape.py")``."""
    return (_SNIPPETS / name).read_text("utf-8")


def program(name: str) -> Any:
    """Return what a program defines, for example ``program("guide/tape/tape.py").f``.

    The program runs up to its first statement that is neither an import nor a definition
    nor an assignment, and prints nothing. Each call of a test gets new definitions,
    unless nothing that they hold can have changed.

    Args:
        name: the path below ``snippets/``.
    """
    path = _SNIPPETS / name
    text = source(name)
    names, state = _defined.get(path, ({}, None))
    if state is None or state != _state(names):
        names = {"__name__": path.stem, "__builtins__": builtins}
        exec(_compiled(path, text), names)
        is_random = "random" in text
        _defined[path] = names, None if is_random else _state(names)
    return types.SimpleNamespace(**names)


_defined: dict[Path, tuple[dict, Any]] = {}


def forget_programs() -> None:
    """Drop the definitions and figures that tests have asked for."""
    _defined.clear()
    _drawn.cache_clear()


@functools.lru_cache
def _compiled(path: Path, text: str) -> types.CodeType:
    tree = _WithoutPrints().visit(ast.parse(text))
    kinds = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Assign)
    defines = itertools.takewhile(lambda node: isinstance(node, kinds), tree.body[1:])
    code = ast.unparse(ast.Module([*defines], []))
    file = f"<{path}>"
    # AutoGraph asks linecache for the source.
    linecache.cache[file] = len(code), None, code.splitlines(True), file
    return compile(code, file, "exec")


class _WithoutPrints(ast.NodeTransformer):
    """Removes prints, because XLA can't compile them."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        called = node.value.func if isinstance(node.value, ast.Call) else node.value
        return ast.Pass() if ast.unparse(called) in ("print", "tf.print") else node


_IMMUTABLE = (
    *(types.ModuleType, types.FunctionType, types.BuiltinFunctionType, type),
    *(type(None), bool, int, float, complex, str, bytes, tf.DType, tf.Tensor),
    type(tf.custom_gradient(tf.identity)),
)


def _state(value: Any) -> Any:
    """Return what a test can change of a value, or None where that isn't known."""
    if isinstance(value, _IMMUTABLE):
        return id(value), value  # two values are equal only if they are one object
    if isinstance(value, np.ndarray):
        return value.tobytes()
    if type(value) is dict:
        value = [part for pair in value.items() for part in pair]
    if type(value) not in (list, tuple):
        return None
    states = [_state(part) for part in value]
    return None if None in states else states


def drawn(name: str) -> list:
    """Run a program, and return the Matplotlib figures that it draws."""
    return _drawn(_SNIPPETS / name)


@functools.lru_cache
def _drawn(path: Path) -> list:
    from matplotlib import pyplot

    pyplot.close("all")
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.chdir(folder),
        contextlib.redirect_stdout(io.StringIO()),
    ):
        runpy.run_path(str(path))
    figures = [pyplot.figure(number) for number in pyplot.get_fignums()]
    pyplot.close("all")
    return figures
