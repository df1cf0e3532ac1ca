"""Make notebooks of pages: running text, and each program as a cell."""

import json
import posixpath
import re
from collections.abc import Iterable, Sequence
from typing import Any

from tracebook.snippet import is_twin

from .commonmark import CodeBlock, LinkResolver, join

_HEADING = re.compile(r"^(?=#{1,6} )", re.MULTILINE)
_ALONE = (
    "This program needs a new process, so one cell writes it to a file, and the next"
    " cell runs the file."
)


def notebook(
    blocks: Iterable[str | CodeBlock], links: LinkResolver, opening: str
) -> str:
    """Return the file of a page's notebook.

    It begins with ``opening`` if the page has a program.
    """
    builder = _Builder(links)
    for block in blocks:
        builder.add(block)
    builder.end_text()
    first = [cell("markdown", opening)] if builder.program else []
    return to_json([*first, *builder.cells])


class _Builder:
    """The cells of a page up to some block."""

    def __init__(self, links: LinkResolver) -> None:
        self.cells: list[dict[str, Any]] = []
        self.program = ""
        """Name of the latest program."""
        self._links = links
        self._text: list[str | CodeBlock] = []
        self._outputs: list[dict[str, Any]] = []
        """Outputs of the cell that runs the latest program."""

    def add(self, block: str | CodeBlock) -> None:
        if not isinstance(block, CodeBlock):
            for section in _HEADING.split(block):
                if section.startswith("#"):
                    self.end_text()
                self._text.append(section.strip("\n"))
        elif block.language == "python" and block.name and not is_twin(block.name):
            self._add_program(block)
        elif self.program and block.name == self.program.removesuffix(".py") + ".out":
            output = {"output_type": "stream", "name": "stdout"}
            self._outputs.append({**output, "text": _lines(block.text)})
        else:
            self._text.append(block)

    def _add_program(self, block: CodeBlock) -> None:
        self.program = block.name
        self._text.append(block.prefix + self._links.label(block))
        if "alone" in block.settings:
            self._text.append(block.prefix + _ALONE)
            self.end_text()
            file = posixpath.basename(block.name)
            run = f"import sys\n\n!{{sys.executable}} {file}"
            self.cells.append(cell("code", f"%%writefile {file}\n{block.text}"))
            self.cells.append(cell("code", run))
        else:
            self.end_text()
            tags = ["raises-exception"] if "raises" in block.settings else []
            self.cells.append(cell("code", block.text, tags))
        self._outputs = self.cells[-1]["outputs"]

    def end_text(self) -> None:
        if text := join(self._text, self._links).strip():
            self.cells.append(cell("markdown", text))
        self._text.clear()


def to_json(cells: list[dict[str, Any]]) -> str:
    """Return the file of a notebook with these cells."""
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook = {
        "cells": [each | {"id": f"cell-{n}"} for n, each in enumerate(cells)],
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def cell(kind: str, text: str, tags: Sequence[str] = ()) -> dict[str, Any]:
    """Return a cell of the kind "markdown" or "code"."""
    result: dict[str, Any] = {
        "cell_type": kind,
        "metadata": {"tags": [*tags]} if tags else {},
        "source": _lines(text.rstrip("\n")),
    }
    if kind == "code":
        result |= {"execution_count": None, "outputs": []}
    return result


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)
