"""The ledger: a page with two tables that are made from the results of the checks."""

import re
from collections import Counter
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
checked](checked.md) explains the words. The headings of the columns sort the tables.

"""
_PAGES = """\
## Pages { #pages }

<div class="filter"></div>

| Page | Outputs | Formulas | Gradients | Claims | Numbers | Not decided |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
"""
_CLAIMS = """\
## Claims { #claims }

<div class="filter"></div>

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
    """Write the page."""
    files.write(path, text(root).encode(errors="backslashreplace"))


def numbers(page: Page, results: Results) -> Counter[str]:
    """Count what passed on a page, by kind, and what failed or wasn't decided."""
    counts = count(results.all_findings(page))
    states = sum(counts.values(), Counter())
    programs = results.programs(page).values()
    return Counter(
        program=sum(result is not None and result.ran for result in programs),
        formula=passed(counts["formula"] + counts["inline formula"]),
        gradient=passed(counts["custom gradient"]),
        claim=passed(counts["claim"]),
        number=passed(counts["number"]),
        failed=states["failed"],
        undecided=states["unchecked"] + states["not run"],
    )


def _row(page: Page, results: Results) -> str:
    counts, claims = numbers(page, results), len(find_claims(page))
    link = f"[{page.title}]({page.label.removeprefix('docs/')})"
    tried = f"{counts['claim']}{f' of {claims}' * (counts['claim'] != claims)}"
    cells = [link, *(counts[kind] for kind in ("program", "formula", "gradient"))]
    cells += [tried, counts["number"], counts["undecided"]]
    return f"| {' | '.join(map(str, cells))} |\n"


def _rows_of_claims(page: Page, results: Results) -> Iterator[str]:
    findings = {each.name: each for each in results.findings(CLAIMS, page) or ()}
    for claim in find_claims(page):
        target = f"{page.label.removeprefix('docs/')}#{claim.id}"
        sentence = _LINK.sub(r"\1", _ATTRIBUTES.sub("", claim.text))
        detail, state = WAITING, "partly"
        if finding := findings.get(claim.id):
            detail, state = finding.detail, "good" if finding.passed else "bad"
        detail = re.sub(r"([*_\[\]<>#\\])", r"\\\1", detail)  # plain text
        cells = [page.title, sentence, f"[{detail}]({target}){{ .is-{state} }}"]
        row = " | ".join(cell.replace("|", r"\|") for cell in cells)
        yield f"| {row} |\n"
