"""The Python-Markdown extension: each checked page says so in its last line.

A page is known by what stands on it, so an edited page has no stamp until it is
checked again.
"""

import posixpath
import xml.etree.ElementTree as etree
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from markdown import Extension, Markdown
from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor

from .. import results
from ..finding import KINDS
from ..page import LEDGER
from ..results import Record, Results
from . import page as ledger

HOME = "docs/index.md"
"""Speaks of all pages as well."""

# Before any other extension changes the text of the page.
_FIRST = 1000
# After inline patterns, and before links become those of the site.
_LATE = 5


class StampExtension(Extension):
    """Appends the stamp to pages of the book: MkDocs knows its folder, and else it
    is the current one."""

    def extendMarkdown(self, md: Markdown) -> None:
        source = _Source(md)
        md.preprocessors.register(source, "stamp", _FIRST)
        md.treeprocessors.register(_Stamp(md, source), "stamp", _LATE)


class _Source(Preprocessor):
    """Keeps the text of the page being rendered."""

    text = ""

    def run(self, lines: list[str]) -> list[str]:
        self.text = "\n".join(lines)
        return lines


class _Stamp(Treeprocessor):
    def __init__(self, md: Markdown, source: _Source) -> None:
        super().__init__(md)
        self._source = source

    def run(self, root: etree.Element) -> None:
        root.extend(_lines(self._source.text, _root(self.md)))


def rests_on(page: str, text: str, docs: Path, root: Path) -> object:
    """The stamp of a page, as the results on record have it."""
    return [etree.tostring(line) for line in _lines(text, root)]


def _lines(text: str, root: Path) -> Iterator[etree.Element]:
    known = results.load(root)
    if known is None:
        return
    digest = results.digest(text, root)
    for shown, record in known.pages.items():
        if (
            record.digest == digest
            and known.is_whole(record)
            and known.findings(record)
        ):
            yield _line(shown, record, known)
            if shown == HOME:
                yield _of_all(shown, known)


def _root(md: Markdown) -> Path:
    if "relpath" in md.treeprocessors:
        relpath: Any = md.treeprocessors["relpath"]
        return Path(relpath.config.config_file_path).resolve().parent
    return Path.cwd()


def _line(shown: str, record: Record, known: Results) -> etree.Element:
    text = f"Checked: {summary(known, record)}. "
    place = f"#{ledger.anchor(shown)}"
    return _stamp(shown, "stamp", text, place, "What was checked, and how")


def _of_all(shown: str, known: Results) -> etree.Element:
    pages = [each for each in known.pages.values() if known.is_whole(each)]
    text = f"On all pages, as of {known.date}: {summary(known, *pages)}. "
    return _stamp(shown, "stamp in-all", text, "", "The ledger")


def _stamp(shown: str, kind: str, text: str, place: str, label: str) -> etree.Element:
    """A line that ends in a link to a place of the ledger."""
    line = etree.Element("p", {"class": kind, "data-search-exclude": ""})
    line.text = text
    target = posixpath.relpath(LEDGER, posixpath.dirname(shown))
    etree.SubElement(line, "a", {"href": f"{target}{place}"}).text = label
    return line


def summary(known: Results, *records: Record) -> str:
    """``10 programs, 47 formulas, 3 rules, 41 numbers``"""
    counts = results.tally(known.findings(*records))
    checked = {kind: results.holding(states) for kind, states in counts.items()}
    numbers = {
        ("program", "programs"): sum(
            program.ran for program in known.programs_of(*records).values()
        ),
        ("formula", "formulas"): checked["formula"] + checked["inline formula"],
        **{
            ledger.NAMES[kind]: checked[kind] for kind in KINDS if "formula" not in kind
        },
    }
    parts = [
        ledger.counted(number, *words) for words, number in numbers.items() if number
    ]
    for state in ("unchecked", "failed"):
        if number := sum(states[state] for states in counts.values()):
            parts.append(f"{number} {state}")
    return ", ".join(parts)


def makeExtension(**options: object) -> StampExtension:
    return StampExtension(**options)
