"""Mistakes in the numbers of prose: another digit, or another number word."""

import random
import re
from collections.abc import Iterator
from pathlib import Path

from mathml.source import Source
from truth import numbers
from truth.page import BIBLIOGRAPHY, Page, all_pages

from .tally import Tally

SAMPLE = 60
"""Of the number words; of the numbers, all are tried."""
GOAL = 0.8
Change = tuple[int, int, str]
"""From where to where, and the text in its place."""
_DIGIT = re.compile(r"\d")
_WORDS = dict(zip(["two", "three", "four", "five"], ["three", "four", "five", "six"]))


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
        if len(_DIGIT.findall(number.text)) > 1 and not number.is_word:
            place = [*_DIGIT.finditer(number.text)][-1]
            start = number.start + place.start()
            yield start, start + 1, str((int(place[0]) + 3) % 10)


def _number_words(page: Page) -> Iterator[Change]:
    for number in numbers.find_numbers(page):
        if number.text in _WORDS:
            end = number.start + len(number.text)
            yield number.start, end, _WORDS[number.text]


KINDS = {"a digit of a number in prose": _digits, "a number word": _number_words}


def run(root: Path, tally: Tally) -> None:
    """Plant the mistakes, and count how many are refused."""
    chance = random.Random(tally.seed)
    pages = [
        page
        for page in all_pages(root)
        if page.path.suffix == ".md"
        and page.path.name != BIBLIOGRAPHY
        and not page.is_generated
    ]
    for kind, changes in KINDS.items():
        tally.kind(kind, GOAL if changes is _digits else 0.0)
        places = [(page, change) for page in pages for change in changes(page)]
        if changes is not _digits:
            places = chance.sample(places, min(len(places), SAMPLE))
        for page, (start, end, new) in places:
            text = page.text[:start] + new + page.text[end:]
            around = " ".join(text[max(0, start - 40) : start + 25].split())
            what = (
                f"{page.location(start)}: {page.text[start:end]} → {new} in: {around}"
            )
            tally.count(kind, what, refused(altered(page, text)))
