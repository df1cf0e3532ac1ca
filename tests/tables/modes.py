"""The table of one call: what asking for its gradient shows in each mode.

A record of such a table names its call in a line of its own::

    <!-- modes: mistakes/counts/wrong/one_short.py: product(x, y) -->

The call is evaluated with the names that the program defines.
"""

import ast
import contextlib
import linecache
import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import keras
import numpy as np
import tensorflow as tf
from tensorflow.python.framework import ops  # no public name takes a gradient back

from tests.harness import (
    EAGER,
    INSIDE,
    NESTED,
    OUTSIDE,
    SYMBOLIC,
    XLA,
    gradients_in_fit,
)
from truth.tables import MODES_LINE, TableRecord
from vjpcheck.messages import message, tidy

from ._cells import in_table

MODES: dict[str, Callable[..., list]] = {
    "eager": EAGER.gradients,
    "inside a `tf.function`": INSIDE.gradients,
    "outside a `tf.function`": OUTSIDE.gradients,
    "nested `tf.function`": NESTED.gradients,
    "XLA": XLA.gradients,
    "`tf.gradients`": SYMBOLIC.gradients,
    "`model.fit`": gradients_in_fit,
}
_SNIPPETS = Path(__file__).resolve().parents[2] / "snippets"


@dataclass(frozen=True)
class ProgramCall:
    """A call of a function that a program defines."""

    program: str
    """The path of the program below ``snippets/``."""
    text: str


def call_of(record: TableRecord) -> ProgramCall:
    """Return the call whose modes a table shows.

    Raises:
        ValueError: the record names no call.
    """
    match = MODES_LINE.fullmatch(record.modes)
    if not match:
        raise ValueError(f"{record.name}: write <!-- modes: PROGRAM: CALL -->")
    return ProgramCall(match["program"], match["call"])


def fix_of(record: TableRecord) -> ProgramCall | None:
    """Return the right call: the one that a record names, or that of the right program."""
    match = MODES_LINE.fullmatch(record.modes)
    if not match or "/wrong/" not in match["program"]:
        return None
    right = match["program"].replace("/wrong/", "/")
    return ProgramCall(match["fixed"] or right, match["fix"] or match["call"])


def names_fix(record: TableRecord) -> bool:
    """Return whether a record names the call of its fix."""
    match = MODES_LINE.fullmatch(record.modes)
    return bool(match and match["fix"])


def table(call: ProgramCall) -> str:
    """Return the table of a call, in Markdown; modes that show the same share a row."""
    rows: dict[str, list[str]] = {}
    for mode, text in shown(call).items():
        rows.setdefault(text, []).append(mode)
    lines = [
        f"| {', '.join(modes)} | {in_table(text)} |" for text, modes in rows.items()
    ]
    return "\n".join(["| Mode | What you see |", "| --- | --- |", *lines])


def shown(call: ProgramCall) -> dict[str, str]:
    """Return what a reader sees who asks for the gradient of a call, by mode.

    Raises:
        ValueError: the text is no call, or the program doesn't define what it names.
    """
    function, inputs, keywords = _evaluated(call)

    def called(*values: Any) -> Any:
        first = len(values) - len(keywords)
        return function(*values[:first], **dict(zip(keywords, values[first:])))

    return {name: _outcome(mode, called, inputs) for name, mode in MODES.items()}


def _evaluated(call: ProgramCall) -> tuple[Callable, list, list[str]]:
    """Return the function, its inputs, and the keywords of the last of these."""
    names = _defined(_SNIPPETS / call.program)
    try:
        tree = ast.parse(call.text, mode="eval").body
        if not isinstance(tree, ast.Call):
            raise ValueError("it is no call")
        parts = (tree.func, *tree.args, *(k.value for k in tree.keywords))
        function, *inputs = (eval(ast.unparse(part), names) for part in parts)
    except Exception as error:  # whatever the call is made of
        raise ValueError(f"{call.program}: {call.text}: {error}") from None
    return function, inputs, [str(keyword.arg) for keyword in tree.keywords]


@cache
def _defined(program: Path) -> dict[str, Any]:
    """Run a program to its end or its error, and return what it defined.

    It runs once, because a gradient can't be registered twice under one name.
    """
    registered = ops.gradient_registry._registry
    for name, entry in [*registered.items()]:
        if entry["type"] and not entry["type"].__module__.startswith("tensorflow."):
            del registered[name]
    source = program.read_text("utf-8")
    # AutoGraph asks linecache for the source.
    file = f"<{program} as it is>"
    linecache.cache[file] = len(source), None, source.splitlines(True), file
    names: dict[str, Any] = {"__name__": "__main__"}
    with _in_empty_folder(), contextlib.suppress(Exception, SystemExit):
        exec(compile(source, file, "exec"), names)
    keras.config.set_dtype_policy("float32")
    return names


@contextlib.contextmanager
def _in_empty_folder() -> Iterator[None]:
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.chdir(folder),
        open("output", "w") as output,
        contextlib.redirect_stdout(output),
    ):
        yield


def _outcome(mode: Callable, function: Callable, inputs: list) -> str:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        try:
            gradients = mode(function, *inputs)
        except Exception as error:
            return message(error)
    text = ", ".join(map(_value, gradients))
    for warning in caught:
        if warning.category is UserWarning and "radient" in str(warning.message):
            text += f"; UserWarning: {tidy(str(warning.message))}"
    return text


def _value(gradient: Any) -> str:
    if gradient is None:
        return "None"
    if isinstance(gradient, tf.IndexedSlices):
        rows = _value(gradient.values)
        return f"IndexedSlices of {rows} at {_value(gradient.indices)}"
    array = np.asarray(gradient)
    array = array.astype(np.float32) if array.dtype.kind not in "fciub" else array
    if not array.size:
        return f"empty, of shape {array.shape}"
    return " ".join(np.array2string(array, precision=6, separator=", ").split())
