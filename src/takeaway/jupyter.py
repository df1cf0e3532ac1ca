"""Notebooks made from pages: running text, and each program as a cell."""

import json
import posixpath
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .plain import Code, as_markdown

_HEADING = re.compile(r"^(?=#{1,6} )", re.MULTILINE)
ALONE = (
    "This program needs a new process, so one cell writes it to a file, and the next"
    " cell runs the file."
)


def notebook(
    pieces: Iterable[str | Code], named: Callable[[Code], str], opening: str
) -> str:
    """A page as a notebook; ``opening`` is said where programs follow."""
    cells: list[dict[str, Any]] = []
    prose: list[str | Code] = []

    def close() -> None:
        if text := as_markdown(prose, named).strip():
            cells.append(cell("markdown", text))
        prose.clear()

    program = ""
    for piece in pieces:
        if not isinstance(piece, Code):
            for part in _HEADING.split(piece):
                if part.startswith("#"):
                    close()
                prose.append(part.strip("\n"))
        elif piece.language == "python" and piece.name:
            program = piece.name
            alone = "alone" in piece.declared
            tags = ["raises-exception"] * ("raises" in piece.declared and not alone)
            prose.append(piece.before + named(piece))
            if alone:
                prose.append(piece.before + ALONE)
            close()
            file = posixpath.basename(program)
            magic = f"%%writefile {file}\n" if alone else ""
            cells.append(prints := cell("code", magic + piece.text, tags))
            if alone:
                run = f"import sys\n\n!{{sys.executable}} {file}"
                cells.append(prints := cell("code", run))
        elif program and piece.name == program.removesuffix(".py") + ".out":
            output = {"name": "stdout", "text": _lines(piece.text)}
            prints["outputs"].append({"output_type": "stream", **output})
        else:
            prose.append(piece)
    close()
    if program:
        cells.insert(0, cell("markdown", opening))
    return written(cells)


def written(cells: list[dict[str, Any]]) -> str:
    """The file of a notebook."""
    for number, each in enumerate(cells):
        each["id"] = f"cell-{number}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    made = {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(made, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def cell(kind: str, text: str, tags: Sequence[str] = ()) -> dict[str, Any]:
    metadata: dict[str, Any] = {"tags": [*tags]} if tags else {}
    made: dict[str, Any] = {
        "cell_type": kind,
        "metadata": metadata,
        "source": _lines(text.rstrip("\n")),
    }
    if kind == "code":
        made |= {"execution_count": None, "outputs": []}
    return made


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)
