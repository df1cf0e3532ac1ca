"""The ledger: a page with two tables, made from the results and never written by
hand."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from .. import results
from ..claims import claims
from ..menu import menu
from ..page import LEDGER, Page, all_pages
from ..results import Results

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
    known = Results(root)
    pages = sorted(all_pages(root), key=_place_in_menu(root))
    rows = [_row(page, known) for page in pages]
    of_claims = [line for page in pages for line in _claims(page, known)]
    return "".join([_HEAD, _PAGES, *rows, "\n", _CLAIMS, *of_claims])


def write(root: Path) -> None:
    """Write the page for site generators that run no plugin."""
    results.write(root / LEDGER, text(root))


def _place_in_menu(root: Path) -> Callable[[Page], int]:
    names = menu(root)
    places = {f"docs/{name}": place for place, name in enumerate(names)}
    return lambda page: places.get(page.label, len(names))


def _row(page: Page, known: Results) -> str:
    counts = results.tally(known.all_findings(page))
    programs = [p for p in known.programs(page).values() if p and p.ran]
    formulas = counts["formula"] + counts["inline formula"]
    marked = len(claims(page))
    tried = counts["claim"]["tried"]
    open_ = sum(states["unchecked"] + states["not run"] for states in counts.values())
    cells = [
        f"[{results.title(page)}]({page.label.removeprefix('docs/')})",
        str(len(programs)),
        str(results.holding(formulas)),
        str(results.holding(counts["rule"])),
        str(tried) if tried == marked else f"{tried} of {marked}",
        str(results.holding(counts["number"])),
        str(open_),
    ]
    return f"| {' | '.join(cells)} |\n"


def _claims(page: Page, known: Results) -> Iterator[str]:
    findings = known.findings(results.CLAIMS, page) or ()
    tried = {finding.name: finding for finding in findings}
    for claim in claims(page):
        finding = tried.get(claim.id)
        how = finding.detail if finding else WAITING
        target = f"{page.label.removeprefix('docs/')}#{claim.id}"
        sentence = _LINK.sub(r"\1", _ATTRIBUTES.sub("", claim.text))
        cells = [results.title(page), sentence, f"[{escaped(how)}]({target})"]
        yield f"| {' | '.join(_cell(cell) for cell in cells)} |\n"


def _cell(text: str) -> str:
    return text.replace("|", r"\|")


def escaped(text: str) -> str:
    """Return plain text as Markdown that shows it."""
    return re.sub(r"([*_\[\]<>#\\])", r"\\\1", text)


def summary(known: Results, *pages: Page) -> str:
    """Return ``10 programs, 47 formulas, 3 gradients, 12 claims``."""
    findings = [each for page in pages for each in known.all_findings(page)]
    counts = results.tally(findings)
    checked = Counter(
        {kind: results.holding(states) for kind, states in counts.items()}
    )
    programs = {
        name: program
        for page in pages
        for name, program in known.programs(page).items()
    }
    numbers = {
        "program": sum(bool(p and p.ran) for p in programs.values()),
        "formula": checked["formula"] + checked["inline formula"],
        "gradient": checked["rule"],
        "claim": checked["claim"],
        "number": checked["number"],
    }
    parts = [f"{n} {what}{'s' * (n != 1)}" for what, n in numbers.items() if n]
    if failed := sum(states["failed"] for states in counts.values()):
        parts.append(f"{failed} failed")
    return ", ".join(parts)
