"""The ledger: a page with two tables that are made from the results of the checks."""

import re
from collections.abc import Iterator
from pathlib import Path

from tracebook import files

from ..claims import find_claims
from ..finding import count, passed
from ..menu import menu
from ..page import Page, all_pages
from ..results import CLAIMS, Results

_HEAD = """\
---
description: What was checked on each page, and what was tried for each claim.
search: {exclude: true}
---

# The ledger

The build wrote this page from what its checks found. [How this site is
checked](checked.md) explains the words. A click on the heading of a column sorts the
table.

"""
_PAGES = """\
## Pages { #pages }

| Page | Outputs | Formulas | Gradients | Claims | Numbers | Not decided |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
"""
_CLAIMS = """\
## Claims { #claims }

| Page | Claim | What was tried |
| --- | --- | --- |
"""
WAITING = "not run in this copy"
_ATTRIBUTES = re.compile(r"(?<=\))\{[^{}]*\}")
_LINK = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\([^()]*\)")


def text(root: Path) -> str:
    """Return the page's Markdown."""
    results = Results(root)
    places = {f"docs/{name}": place for place, name in enumerate(menu(root))}
    pages = sorted(
        all_pages(root), key=lambda page: places.get(page.label, len(places))
    )
    rows = [_row(page, results) for page in pages]
    rows_of_claims = [row for page in pages for row in _rows_of_claims(page, results)]
    return "".join([_HEAD, _PAGES, *rows, "\n", _CLAIMS, *rows_of_claims])


def write(root: Path, path: Path) -> None:
    """Write the page, unless the file has the same text.

    Args:
        root: the project's folder.
        path: the file; ``LEDGER`` for a site generator that runs no plugin.
    """
    content = text(root).encode(errors="backslashreplace")
    if not path.exists() or path.read_bytes() != content:
        files.write(path, content)


def _row(page: Page, results: Results) -> str:
    counts = count(results.all_findings(page))
    ran = [
        result for result in results.programs(page).values() if result and result.ran
    ]
    claims, tried = len(find_claims(page)), counts["claim"]["tried"]
    undecided = sum(
        states["unchecked"] + states["not run"] for states in counts.values()
    )
    cells = [
        f"[{page.title}]({page.label.removeprefix('docs/')})",
        str(len(ran)),
        str(passed(counts["formula"] + counts["inline formula"])),
        str(passed(counts["custom gradient"])),
        str(tried) if tried == claims else f"{tried} of {claims}",
        str(passed(counts["number"])),
        str(undecided),
    ]
    return f"| {' | '.join(cells)} |\n"


def _rows_of_claims(page: Page, results: Results) -> Iterator[str]:
    findings = results.findings(CLAIMS, page) or ()
    details = {finding.name: finding.detail for finding in findings}
    for claim in find_claims(page):
        target = f"{page.label.removeprefix('docs/')}#{claim.id}"
        sentence = _LINK.sub(r"\1", _ATTRIBUTES.sub("", claim.text))
        detail = _escaped(details.get(claim.id, WAITING))
        cells = [page.title, sentence, f"[{detail}]({target})"]
        row = " | ".join(cell.replace("|", r"\|") for cell in cells)
        yield f"| {row} |\n"


def _escaped(text: str) -> str:
    """Return plain text as Markdown that shows it."""
    return re.sub(r"([*_\[\]<>#\\])", r"\\\1", text)


def summary(results: Results, page: Page) -> str:
    """Return ``10 programs, 47 formulas, 3 gradients, 12 claims`` of a page."""
    counts = count(results.all_findings(page))
    ran = [
        result for result in results.programs(page).values() if result and result.ran
    ]
    numbers = {
        "program": len(ran),
        "formula": passed(counts["formula"] + counts["inline formula"]),
        "gradient": passed(counts["custom gradient"]),
        "claim": passed(counts["claim"]),
        "number": passed(counts["number"]),
    }
    parts = [f"{n} {name}{'s' * (n != 1)}" for name, n in numbers.items() if n]
    if failed := sum(states["failed"] for states in counts.values()):
        parts.append(f"{failed} failed")
    return ", ".join(parts)
