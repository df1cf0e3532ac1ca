"""Mistakes in what pages say: words, number words, digits, names, messages.

Each is planted by a seed anywhere in what a reader reads, in the page and in its tests
alike, as an author would change both who then has the new sentence accepted. It is
caught if `truth accept` refuses the sentence, or if another check fails. That the lock
tells of any change isn't counted.
"""

import random
import re
from collections.abc import Iterator
from pathlib import Path

from truth.statements.check import STRICT, Before, Check
from truth.statements.review import Review, relinked
from truth.testfile import tested

from mathml.source import Source
from truth import quotes, sentences
from truth.page import Page, all_pages
from truth.structure import check as structure

from .book import Book, Tally, Unsound

SAMPLE = 60
"""Of each kind, in a whole run."""
Change = tuple[int, int, str]
"""From where to where, and the text in its place."""
_PAIRS = (
    "always never, every no, all none, before after, first last, row column, more less,"
    " same other, right wrong, eager graph, inside outside, left right, larger smaller,"
    " only also, both neither, once twice, now not, input output, above below, is isn't"
)
_NUMBERS = [
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "twelve",
]
TURNED = {
    one: other
    for pair in _PAIRS.split(", ")
    for one, other in (pair.split(), reversed(pair.split()))
}
COUNTED = dict(zip(_NUMBERS, _NUMBERS[1:])) | {"half": "twice", "twice": "half"}
_WORD = re.compile(r"(?<![\w`#-])[A-Za-z']+(?![\w`])")
_DIGIT = re.compile(r"(?<![A-Za-z_])(?!\d+\. )\d")
_NAME = re.compile(r"(?<=`)(?:tf|keras|np|tape)\.[\w.]+")
_MESSAGE = re.compile(r"(?<=`)[A-Z][^`\n]* [^`\n]*(?=`)")


def altered(page: Page, text: str) -> Page:
    """A page with another text."""
    other = Page(page.path, page.root, page.source)
    Source.__init__(other, text)
    return other


def refused(page: Page, other: Page) -> bool:
    """Whether the sentences of a page, in place of those of another text of it, would
    be refused; by what the tests compared when they last ran."""
    check = Check(other)
    if source := relinked(check, Before(check, [page])):
        check = Check(other, source=source)
    if check.problems:
        return True
    review = Review(check, Before(check, [page]), may_run=False)
    return any(review.failures(at) or review.doubts(at) for at in review.changed)


def failures(page: Page) -> list[str]:
    """What a page's words fail by, without a run, and without its lock."""
    checks = (quotes.check, structure.check)
    found = [each for check in checks for each in check([page], page.root)]
    found += Check(page).untested()
    return [str(each) for each in found if each.state == "failed"]


def _exchanged(text: str, words: dict[str, str]) -> Iterator[Change]:
    for word in _WORD.finditer(text):
        if other := words.get(word[0].lower()):
            new = other.capitalize() if word[0][0].isupper() else other
            yield *word.span(), new


def _turned(page: Page) -> Iterator[Change]:
    yield from _exchanged(page.prose, TURNED)


def _counted(page: Page) -> Iterator[Change]:
    yield from _exchanged(page.prose, COUNTED)


def _digits(page: Page) -> Iterator[Change]:
    for digit in _DIGIT.finditer(page.prose):
        yield *digit.span(), str((int(digit[0]) + 1) % 10)


def _loose_digits(page: Page) -> Iterator[Change]:
    """Of sentences that no test tries: their numbers are only reviewed."""
    others = {sentence.span for sentence in sentences.of(page)}
    others -= {span for span, _ in tested(page)}
    for start, end, new in _digits(page):
        if any(start in span for span in others):
            yield start, end, new


def _renamed(page: Page) -> Iterator[Change]:
    """A name of the API, for another that the page has."""
    found = [*_NAME.finditer(page.text)]
    known = sorted({name[0] for name in found})
    for name in found:
        if len(known) > 1:
            yield *name.span(), known[known.index(name[0]) - 1]


def _misquoted(page: Page) -> Iterator[Change]:
    """A word of what is quoted, left out."""
    for message in _MESSAGE.finditer(page.text):
        for word in re.finditer(r"[A-Za-z]{3,} ", message[0]):
            yield message.start() + word.start(), message.start() + word.end(), ""


KINDS = {
    "a word that turns a sentence round": _turned,
    "a number word": _counted,
    "a digit": _digits,
    "a digit in a sentence that no test quotes": _loose_digits,
    "a name of the API, for another": _renamed,
    "a word of a message": _misquoted,
}


def run(book: Book, tally: Tally, site: Path) -> None:
    chance = random.Random(tally.seed)
    pages = [
        page
        for page in all_pages(book.root)
        if page.shown.removeprefix("docs/").startswith(STRICT) and not page.is_generated
    ]
    if wrong := [each for page in pages for each in failures(page)]:
        raise Unsound("\n".join(wrong))
    for kind, changes in KINDS.items():
        tally.kind(kind, 0.8)
        every = [(page, change) for page in pages for change in changes(page)]
        for page, (start, end, new) in chance.sample(
            every, min(len(every), SAMPLE // (10 if tally.fast else 1))
        ):
            text = page.text[:start] + new + page.text[end:]
            around = " ".join(text[max(0, start - 40) : start + len(new) + 25].split())
            tally.count(
                kind,
                f"{page.where(start)}: {page.text[start:end]} → {new} in: {around}",
                _is_caught(page, altered(page, text)),
            )


def _is_caught(page: Page, other: Page) -> bool:
    return bool(failures(other)) or refused(page, other)
