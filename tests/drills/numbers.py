"""Mistakes in the numbers of prose: another digit."""

import re
from collections.abc import Iterator
from pathlib import Path

from mathml.source import Source
from truth import numbers
from truth.page import BIBLIOGRAPHY, Page, all_pages

from .tally import Tally

GOAL = 0.8
Change = tuple[int, int, str]
"""From where to where, and the text in its place."""
_DIGIT = re.compile(r"\d")


def altered(page: Page, text: str) -> Page:
    """Return a page with another text."""
    other = Page(page.path, page.root, page.source)
    Source.__init__(other, text)
    return other


def refused(page: Page) -> bool:
    """Whether a number of the page's prose stands nowhere."""
    return any(n.state == "failed" for n in numbers.check(page))


def _digits(page: Page) -> Iterator[Change]:
    """Change one digit of a number with two or more."""
    for number in numbers.find_numbers(page):
        if len(_DIGIT.findall(number.text)) > 1:
            place = [*_DIGIT.finditer(number.text)][-1]
            start = number.start + place.start()
            yield start, start + 1, str((int(place[0]) + 3) % 10)


def run(root: Path, tally: Tally) -> None:
    """Plant the mistakes, and count how many are refused."""
    kind = "a digit of a number in prose"
    tally.kind(kind, GOAL)
    for page in all_pages(root):
        if (
            page.path.suffix != ".md"
            or page.path.name == BIBLIOGRAPHY
            or page.is_generated
        ):
            continue
        for start, end, new in _digits(page):
            text = page.text[:start] + new + page.text[end:]
            around = " ".join(text[max(0, start - 40) : start + 25].split())
            what = (
                f"{page.location(start)}: {page.text[start:end]} → {new} in: {around}"
            )
            tally.count(kind, what, refused(altered(page, text)))
