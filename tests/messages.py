"""Writes ``docs/mistakes/messages.md``, the index of messages: each one that the
catalogue shows, with what varies left out, and the entries that explain it:
``python -m tests.messages``."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from tracebook import snippet
from truth.page import Page, all_pages

from .project import ROOT
from .tables._cells import in_table

CATALOGUE = "mistakes"
PAGE = ROOT / "docs" / CATALOGUE / "messages.md"

_ERROR = re.compile(r"(?:[\w.]+\.)?(?P<kind>\w+(?:Error|Warning)): (?P<said>.+)")
# Among other lines: after a label, indented, or below its kind.
_PRINTED = re.compile(rf"^(?:.*?\b)??{_ERROR.pattern}", re.MULTILINE)
_BELOW = re.compile(r"^(\w+(?:Error|Warning))\n(?=.*\w)", re.MULTILINE)
_CELL = re.compile(r"\| (`+) ?((?:(?! \| ).)*?) ?\1 \|$", re.MULTILINE)
_AROUND = re.compile(r"in user code:|Could not automatically infer .* encountered: ")
_TITLE = re.compile(r"#+ (?P<title>.*?)\s*\{\s*#(?P<anchor>[\w-]+)[^}\n]*\}")
_FIX = re.compile(r"[^\n]*\n\s*\*\*Fix:\*\*")
_VARIES = [
    (re.compile(r"'[^']*'|\"[^\"]*\""), "'…'"),
    (re.compile(r"<[^<>]*>"), "<…>"),
    (re.compile(r"\[[^\[\]]*\]"), "[…]"),
    (re.compile(r"\([\d, ]*\)"), "(…)"),
    (re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?!\w)"), "N"),
]
_HEAD = """\
---
description: >-
  What does this TensorFlow error message about a gradient mean? Every message of the
  catalogue, with the entries that explain and fix it.
search:
  exclude: true
  messages: true
---

# Messages

Paste the last line of your traceback into the field, or look for your message in the table. Every
error message that [the catalogue](index.md) shows is here, with the entries that explain it and
fix it. N stands for a number, and an ellipsis for what varies.

<div class="filter"></div>

| Message | Cause and fix |
| --- | --- |
"""


def text(root: Path) -> str:
    """The page."""
    found = sorted(
        messages(root).items(),
        key=lambda each: re.sub(r"\W+", " ", " ".join(each[0])).lower(),
    )
    return _HEAD + "".join(
        f"| {in_table(f'{kind}: {said}')} | {'<br>'.join(links)} |\n"
        for (kind, said), (_, links) in found
    )


def messages(root: Path) -> dict[tuple[str, str], tuple[str, list[str]]]:
    """By kind and what does not vary: each message as it was printed once, and links
    to the entries that show it."""
    found: dict[tuple[str, str], tuple[str, list[str]]] = {}
    for page in all_pages(root):
        if not page.is_generated:
            for link, kind, said in _messages(page):
                _, links = found.setdefault((kind, _fixed(said)), (said, []))
                if link not in links:
                    links.append(link)
    # What is the start of another message of the same entries is that message, cut.
    return {
        (kind, said): each
        for (kind, said), each in found.items()
        if not any(
            other == kind
            and longer.startswith(said.rstrip(" …."))
            and longer != said
            and {*each[1]} <= {*more}
            for (other, longer), (_, more) in found.items()
        )
    }


def entries(page: Page) -> Iterator[tuple[str, int, int]]:
    """A link to each entry of a page, and its span: in the catalogue, each section; on
    another page, each section that begins with a fix."""
    catalogue = page.settings.docs_dir / CATALOGUE
    is_in_it = page.path.parent == catalogue
    address = Path(os.path.relpath(page.path, catalogue)).as_posix()
    for i, (start, level, _) in enumerate(page.headings):
        is_entry = level == 2 if is_in_it else _FIX.match(page.text, start)
        if is_entry and (heading := _TITLE.match(page.text, start)):
            below = page.headings[i + 1 :]
            ends = (each for each, other, _ in below if other <= level)
            title = heading["title"].replace("|", r"\|")
            link = f"[{title}]({address}#{heading['anchor']})"
            yield link, start, next(ends, len(page.text))


def _messages(page: Page) -> Iterator[tuple[str, str, str]]:
    """A link, the kind of the error and what it says, in each entry."""
    for link, start, end in entries(page):
        shown = [
            cell[2]
            for table in page.included_files(".md", start, end)
            for cell in _CELL.finditer(table.read_text("utf-8"))
        ]
        for program in page.included_files(".py", start, end):
            shown += _printed(program, page)
        for each in shown:
            # Of what TensorFlow and Keras write around a message nothing is specific.
            if found := _PRINTED.match(each):
                said = _AROUND.sub("", found["said"])
                if re.search(r"\w", said):
                    yield link, found["kind"], said.replace(r"\|", "|")


def _printed(program: Path, page: Page) -> list[str]:
    """The lines of a program that is wrong on purpose which have a message; of another
    program the one that it ends with."""
    trace = program.with_suffix(".out").read_text("utf-8")
    lines = [each[0] for each in _PRINTED.finditer(_BELOW.sub(r"\1: ", trace))]
    if program.parent.name == "wrong":
        return lines
    return lines[-1:] if snippet.load(program, page.settings).raises else []


def _fixed(said: str) -> str:
    for pattern, instead in _VARIES:
        said = pattern.sub(instead, said)
    return said


if __name__ == "__main__":
    PAGE.write_text(text(ROOT), "utf-8")
