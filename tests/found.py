"""Writes ``docs/mistakes/found.md``, what ``explain`` finds of the catalogue: for each
entry with a call, in the wrong program and in the right one beside it:
``python -m tests.found``."""

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from truth.modes.check import in_table, silence
from truth.modes.seen import parts
from truth.page import Page, all_pages
from vjpcheck import explain

from .messages import CATALOGUE, entries
from .project import ROOT

PAGE = ROOT / "docs" / CATALOGUE / "found.md"
_HEAD = """\
---
description: >-
  How many mistakes of the catalogue does the linter of custom gradients find, and how
  many right programs does it leave alone?
search:
  exclude: true
---

# What the linter finds

This table shows what [`explain`](linter.md) finds in the wrong program of each entry of
the catalogue that names a call, and in the fixed program beside it. The command
`python -m tests.found` wrote this page from those runs.

`explain` finds a mistake in {named} of {wrong} wrong programs, only a limit in
{limited}, and nothing in {silent}. It also finds a mistake in {blamed} of {right} fixed
programs, because nothing declares which of them deliberately have a different gradient.

| Entry | In the wrong program | In the fixed program |
| --- | --- | --- |
"""


@dataclass
class Tried:
    """What was found in a wrong program, and in the fixed one."""

    link: str
    wrong: list
    right: list | None
    """None: the same call cannot be made there."""

    @property
    def row(self) -> str:
        return f"| {self.link} | {_shown(self.wrong)} | {_shown(self.right)} |\n"


def text(root: Path) -> str:
    """The page."""
    tried = [
        each
        for page in all_pages(root)
        if page.path.parent.name == CATALOGUE
        for each in _tried(page)
    ]
    named = sum(_is_mistake(each.wrong) for each in tried)
    silent = sum(not each.wrong for each in tried)
    right = [each.right for each in tried if each.right is not None]
    return _HEAD.format(
        wrong=len(tried),
        named=named,
        limited=len(tried) - named - silent,
        silent=silent,
        right=len(right),
        blamed=sum(map(_is_mistake, right)),
    ) + "".join(each.row for each in tried)


def _tried(page: Page) -> Iterator[Tried]:
    def said(program: Path, call: str) -> list | None:
        with silence():
            try:
                function, inputs, keys = parts(program, call)
            except ValueError:
                return None
            try:
                inspect.signature(function).bind(*inputs)
            except TypeError:
                return None
            return None if keys else explain(function, *inputs)

    for link, start, end in entries(page):
        for modes in page.modes:
            program = page.named(modes["program"])
            if program is None or not start <= modes.start() < end:
                continue
            mended = program.parent.parent / program.name
            wrong = said(program, modes["call"])
            right = said(mended, modes["call"]) if mended.is_file() else None
            if wrong is not None:
                yield Tried(link, wrong, right)


def _is_mistake(advice: list) -> bool:
    return any(each.is_mistake for each in advice)


def _shown(advice: list | None) -> str:
    if advice is None:
        return "–"
    return "<br>".join(in_table(str(each)) for each in advice) or "nothing"


if __name__ == "__main__":
    PAGE.write_text(text(ROOT), "utf-8")
