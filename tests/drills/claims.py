"""Mistakes in what pages say: numbers, names, messages and modes.

Each is planted in the text in memory, and the check whose task it is must fail
on that page.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from mathml.source import Source
from truth import sentences
from truth.finding import Finding
from truth.page import Page, all_pages
from truth.prose import names, numbers, quotes
from truth.prose.values import name_of, plain_value, statements
from truth.results import STATEMENTS

from .book import Book, Tally, Unsound

Check = Callable[[list[Page], Path], list[Finding]]
Change = tuple[str, int, int, str]
"""What is planted: the kind, from where to where, and the text in its place."""

WEAK = "a digit of a number that is tied weakly"
"""Those that are not caught are listed, and not counted: the check says of such a
number that another digit would hold as well."""
_DIGIT = re.compile(r"(?<!_)(?<!_\{)\d")
_API = re.compile(r"(?:tf|keras|np|tape)\.\w+(?:\.\w+)*")
_IN_WORD = re.compile(r"[A-Za-z]\w*$")
_WORD = re.compile(r"[A-Za-z_]{2,}")
_PAIRS = (
    "always never, every no, all none, before after, first last, row column, more less,"
    " same other, right wrong, eager graph, inside outside, left right, two three,"
    " only also, both neither, once twice, not now, larger smaller, input output"
)
TURNED = {
    one: other
    for pair in _PAIRS.split(", ")
    for one, other in (pair.split(), reversed(pair.split()))
}
_TURNS = re.compile(rf"\b(?:{'|'.join(TURNED)})\b", re.IGNORECASE)
_SWAPPED = {"tf.gradients": "eager", "tf.function": "eager", "eager": "tf.gradients"}


def altered(page: Page, text: str) -> Page:
    """A page with another text."""
    other = Page(page.path, page.root, page.source)
    Source.__init__(other, text)
    return other


def run(book: Book, tally: Tally, site: Path) -> None:
    pages = [page for page in all_pages(book.root) if not page.is_generated]
    for check, planned, at_most in (
        (_numbers_and_sentences, _digits, 40),
        (_names_and_quotes, _renamed, 40),
        (_names_and_quotes, _misquoted, 40),
        (unquoted, _turned, 40),
    ):
        if wrong := [f for f in check(pages, book.root) if f.state == "failed"]:
            raise Unsound("\n".join(map(str, wrong)))
        _plant(
            book.root,
            tally,
            check,
            at_most,
            [(page, change) for page in pages for change in planned(page, book.root)],
        )
    names.installed.close()


def _names_and_quotes(pages: list[Page], root: Path) -> list[Finding]:
    """A letter may turn code into words, which count as a message."""
    return names.check(pages, root) + quotes.check(pages, root)


def unquoted(pages: list[Page], root: Path) -> list[Finding]:
    """Of each quotation in a test whether its page has it, without its test."""
    return [
        Finding("statement", "failed", page.shown, page.shown, quote, "not on the page")
        for page in pages
        for found in [sentences.of(page)]
        for quote in sentences.quoted(_tests(page), ("says", *sentences.MARKS))
        if not sentences.having(quote, found)
    ]


def _numbers_and_sentences(pages: list[Page], root: Path) -> list[Finding]:
    return numbers.check(pages, root) + unquoted(pages, root)


def _tests(page: Page) -> Path:
    shown = page.path.relative_to(page.settings.docs_dir).with_suffix(".py")
    return page.root / STATEMENTS / shown


def _turned(page: Page, root: Path) -> Iterator[Change]:
    """Words that turn a sentence round, on the pages whose sentences are tried."""
    for word in _TURNS.finditer(page.prose) if _tests(page).exists() else ():
        other = TURNED[word[0].lower()]
        other = other.capitalize() if word[0][0].isupper() else other
        yield "a word that turns a sentence round", *word.span(), other


def _plant(
    root: Path,
    tally: Tally,
    check: Check,
    at_most: int,
    changes: list[tuple[Page, Change]],
) -> None:
    for page, (kind, start, end, new) in tally.some(changes, at_most):
        text = page.text[:start] + new + page.text[end:]
        shown = " ".join(text[max(0, start - 40) : start + len(new) + 25].split())
        drill = f"{page.where(start)}: {page.text[start:end]} → {new} in: {shown}"
        other = altered(page, text)
        caught = any(f.state == "failed" for f in check([other], root))
        if caught or not (kind == WEAK or _amounts_to_the_same(page, other, start)):
            tally.count(kind, drill, caught)
        else:
            tally.kind(kind).within.append(drill)


def _amounts_to_the_same(page: Page, other: Page, at: int) -> bool:
    """Whether a change leaves the value of each side of a formula: 1 · 0, 2 · 0."""
    before, after = (
        next(
            (
                [
                    plain_value(side)
                    for statement in statements(formula.text)
                    for side in statement.sides
                    if name_of(side) is None
                ]
                for formula in each.formulas
                if formula.start <= at < formula.start + len(formula.text)
            ),
            [],
        )
        for each in (page, other)
    )
    return bool(before) and None not in before and before == after


def _digits(page: Page, root: Path) -> Iterator[Change]:
    """Each digit of a number in prose, and in formulas that state a number."""
    judged = list(numbers.Numbers(page).judged())
    apart = [m.span() for m in numbers.TOLD_APART_AT.finditer(page.without_fences)]
    formulas = [
        (f.start, f.start + len(f.text))
        for f in page.formulas
        if not f.display and any(start == f.start for start, _, _ in judged)
    ]
    for digit in _DIGIT.finditer(page.text):
        at = digit.start()
        within = any(start <= at < end for start, end in formulas)
        if not within and (
            not page.prose[at].isdigit()
            or _IN_WORD.search(page.prose[:at])
            or any(start <= at < end for start, end in apart)
        ):
            continue
        weak = any(start <= at < end and finding.weak for start, end, finding in judged)
        yield (
            WEAK
            if weak
            else f"a digit of a number in {'a formula' if within else 'prose'}",
            at,
            at + 1,
            str((int(digit[0]) + 1) % 10),
        )


def _renamed(page: Page, root: Path) -> Iterator[Change]:
    """The last letter of each part of a name of the API; of another, of a word."""
    for code in page.codes:
        if names.is_message(" ".join(code.text.split())):
            continue
        dotted = _API.search(code.text)
        words = list(_WORD.finditer(code.text))
        for word in words[1:] if dotted else words[:1]:
            at = code.start + word.end() - 1
            yield (
                "a letter of a name of the API"
                if dotted
                else "a letter of another name in backticks",
                at,
                at + 1,
                "j" if page.text[at] == "q" else "q",
            )


def _misquoted(page: Page, root: Path) -> Iterator[Change]:
    for _parts, start in quotes.quoted(page):
        end = page.text.index("`", start)
        for word in _WORD.finditer(page.text, start, end):
            yield ("a word of a quoted message", *word.span(), word[0] + "q")
        for mode in quotes.claimed_modes(page, start):
            before = list(re.compile(re.escape(mode)).finditer(page.text, 0, end + 200))
            near = min(before, key=lambda m: abs(m.start() - start), default=None)
            if near:
                yield "the mode of a message", *near.span(), _SWAPPED[mode]
