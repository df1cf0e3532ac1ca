"""Notebooks made from pages: running text, and each program as a cell."""

import json
import posixpath
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from .plain import Code, as_markdown

FIRST = Path(__file__).with_name("first_cell.py").read_text("utf-8")
"""The program of the cell that lets all others run as they would by themselves."""
_HEADING = re.compile(r"^(?=#{1,6} )", re.MULTILINE)
ALONE = (
    "It needs a process of its own, in which no other program ran, so its cell"
    " starts one."
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
            magic = f"%%alone {posixpath.basename(program)}\n" if alone else ""
            cells.append(cell("code", magic + piece.text, tags))
        elif program and piece.name == program.removesuffix(".py") + ".out":
            output = {"name": "stdout", "text": _lines(piece.text)}
            cells[-1]["outputs"].append({"output_type": "stream", **output})
        else:
            prose.append(piece)
    close()
    if program:
        first = cell("code", FIRST)
        # JupyterLab folds it, and Colab shows its title only.
        first["metadata"] |= {"jupyter": {"source_hidden": True}, "cellView": "form"}
        cells[:0] = [cell("markdown", opening), first]
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
