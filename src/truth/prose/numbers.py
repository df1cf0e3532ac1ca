r"""Numbers in sentences that no test quotes; a test vouches for those of its own.

Each stands in a trace, a program or a displayed formula of its section; one of three
digits, or above the first section, in one of the page. Or a comment in its block
names the file that has it, ``<!-- proof: NAME.out -->``, or says that it comes from
elsewhere, ``<!-- proof: 16, 16.0 = -->``: a definition.

One that is shown more than once, or has a single digit, is **weak**: the sentence might
speak of another place. What states no result is told apart by ``TOLD_APART``. Formulas
are checked as such, but for those of numbers alone.
"""

import ast
import math
import re
import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from algebra.latex import Refusal, parse
from algebra.meaning import Meaning, Scope
from algebra.nodes import Number as Literal
from algebra.tree import is_numeric, walk

from ..finding import Finding
from ..page import Page
from ..testfile import tested

TOLD_APART = {
    "the number of a list item": r"^[ \t]*\d+\.(?=\s)",
    "a heading": r"^#+ .*$",
    "a version": r"\b(?:TensorFlow|Keras|Python|NumPy|SciPy|SymPy|MkDocs|Zensical)"
    r" \d+(?:\.(?:\d+|x))+(?:(?:, | or | and )\d+\.\d+)*",
    "a date": r"\b\d{1,2} [A-Z][a-z]+ (?:19|20)\d\d\b|\b\d{4}-\d\d-\d\d\b"
    r"|\b[A-Z][a-z]+ \d{1,2}, (?:19|20)\d\d\b"
    r"|(?:,|\b(?:[Ii]n|[Ss]ince))\s+(?:19|20)\d\d\b(?!\s*[a-z])",
    "an address": r"\[[^\]]*\]\(https?://[^)\s]*\)|\]\([^)\s]*\)|https?://\S+",
    "an attribute": r"\{[^}\n]*\}",
    "a page's settings": r"\A---\n(?:.|\n)*?\n---\n",
}
"""What states no result: patterns, by name, of text in which no number counts."""

_APART = re.compile("|".join(TOLD_APART.values()), re.MULTILINE)
_VULGAR = "½¼¾⅓⅔⅛"
_IN_PROSE = re.compile(
    rf"(?:(?<![\w)])[-−])?(?:[{_VULGAR}]|(?<![\w.])"
    r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?:[eE][-−+]?\d+)?(?!\w|\.\d))"
)
_IN_TRACE = re.compile(
    r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?!\w|\.\d)"
)
_WORDS_AROUND = 30
"""Characters on both sides of a number that a message shows."""
_ROUNDED = 0.1
"""A number of one digit may be rounded by a tenth of itself, and not by half."""


@dataclass(frozen=True)
class Number:
    """What a text claims: a value, half a unit of its last digit, and its digits."""

    value: float
    half: float
    digits: int

    @classmethod
    def of(cls, text: str) -> "Number":
        text = text.replace("−", "-").replace(",", "")
        if text[-1] in _VULGAR:
            part = unicodedata.numeric(text[-1])
            return cls(-part if text[0] == "-" else part, 0.0, 1)
        mantissa, _, exponent = text.lower().partition("e")
        decimals = len(mantissa.partition(".")[2]) - int(exponent or 0)
        is_whole = "." not in mantissa and not exponent
        digits = len(mantissa.lstrip("+-").replace(".", "").lstrip("0"))
        return cls(float(text), 0.0 if is_whole else 0.5 * 10.0**-decimals, digits)

    def is_shown_by(self, value: float) -> bool:
        """Whether a value is this one, as far as it shows digits."""
        off = min(self.half * 1.000001, _ROUNDED * abs(value))
        return math.isclose(value, self.value, rel_tol=1e-9, abs_tol=off) and (
            math.copysign(1, value) == math.copysign(1, self.value) or not value
        )


def check(pages: list[Page], root: Path) -> list[Finding]:
    return [
        finding
        for page in pages
        if not page.is_generated
        for finding in _Numbers(page).findings()
    ]


class _Numbers:
    """The numbers of one page."""

    def __init__(self, page: Page) -> None:
        self._page = page

    def findings(self) -> Iterator[Finding]:
        spans = [span for span, _ in tested(self._page)]
        claimed = [
            each
            for each in self._claimed()
            if not any(each[0] in span for span in spans)
        ]
        for block in self._page.blocks:
            stated, proven = [], []
            for said in block.says("proof"):
                if said.endswith("="):
                    for each in _listed(said[:-1]):
                        if _IN_PROSE.fullmatch(each):
                            stated.append(Number.of(each).value)
                        else:
                            how = "no number; write <!-- proof: 16, 16.0 = -->"
                            yield self._found(block.start, each, "failed", how)
                    continue
                for name in _listed(said):
                    if (path := self._page.named(name)) and path.is_file():
                        proven += _numbers(path)
                    else:
                        yield self._found(block.start, name, "failed", "no such file")
            for at, text, number in claimed:
                if block.start <= at < block.end:
                    yield self._judged(at, text, number, stated, proven)

    def _claimed(self) -> Iterator[tuple[int, str, Number]]:
        """Where each number of running text stands, and how it is written."""
        page = self._page
        apart = [found.span() for found in _APART.finditer(page.without_fences)]
        prose = list(page.prose)
        for start, end in apart:
            prose[start:end] = " " * (end - start)
        for found in _IN_PROSE.finditer("".join(prose)):
            yield found.start(), found[0], Number.of(found[0])
        for formula in page.formulas:
            at = formula.start
            if not formula.display and not any(a <= at < b for a, b in apart):
                for number in _alone(formula.text):
                    yield at, formula.text, number

    def _judged(
        self,
        at: int,
        text: str,
        number: Number,
        stated: list[float],
        proven: list[float],
    ) -> Finding:
        start = max(0, at - _WORDS_AROUND)
        words = self._page.text[start : at + len(text) + _WORDS_AROUND]
        if any(map(number.is_shown_by, proven)):
            return self._found(at, words, "tied", "by its proof")
        if any(map(number.is_shown_by, stated)):
            return self._found(at, words, "definition", "stated in a comment")
        if times := self._times(number, at):
            is_weak = times > 1 or number.digits < 2
            return self._found(at, words, "tied", "shown", is_weak)
        how = f"nothing in its section shows {number.value:.10g}, and no test quotes it"
        return self._found(at, words, "failed", how)

    def _found(
        self, at: int, what: str, state: str, how: str, weak: bool = False
    ) -> Finding:
        page, what = self._page, " ".join(what.split())
        return Finding(
            "number", state, page.shown, page.where(at), what, how, weak=weak
        )

    def _times(self, number: Number, at: int) -> int:
        """How often the smallest part of the page shows it that does."""
        page = self._page
        opens = not any(n > 1 and start <= at for start, n, _ in page.headings)
        for deepest in (6, 2, 0) if number.digits >= 3 or opens else (6, 2):
            there = _shown(page, *page.section(at, deepest))
            if times := sum(map(number.is_shown_by, there)):
                return times
        return 0


def _listed(said: str) -> list[str]:
    return [each for each in re.split(r"[,\s]+", said) if each]


def _alone(tex: str) -> list[Number]:
    """What a formula of numbers alone claims; of a size, such as 3 × 2, both."""
    with suppress(Refusal, ValueError, TypeError):
        [statement] = parse(tex, alone=True)
        if statement.relations or not is_numeric(statement.sides[0]):
            return []
        if r"\times" in tex:
            return [Number.of(each) for each in re.findall(r"\d+(?:\.\d+)?", tex)]
        value = np.ravel(Meaning(Scope()).value(statement.sides[0]))
        return [Number.of(repr(float(each))) for each in value]
    return []


def _shown(page: Page, start: int, end: int) -> list[float]:
    """The numbers that a part of a page shows: in its traces, and, of both signs, in
    its programs and displayed formulas."""
    found = [n for path in page.embedded(start=start, end=end) for n in _numbers(path)]
    if page.path.suffix == ".py":
        found += _constants(page.source)
    for formula in page.formulas:
        if formula.display and start <= formula.start < end:
            with suppress(Refusal):
                for node in walk(tuple(parse(formula.text))):
                    if isinstance(node, Literal):
                        found += [float(node.value), -float(node.value)]
    return found


@cache
def _numbers(path: Path) -> list[float]:
    text = path.read_text("utf-8")
    if path.suffix == ".py":
        return _constants(text)
    return [float(match[0]) for match in _IN_TRACE.finditer(text)]


def _constants(program: str) -> list[float]:
    try:
        nodes = list(ast.walk(ast.parse(program)))
    except SyntaxError:  # wrong on purpose
        return []
    values = [node.value for node in nodes if isinstance(node, ast.Constant)]
    return [
        float(sign * value)
        for value in values
        if isinstance(value, int | float) and not isinstance(value, bool)
        for sign in (1, -1)
    ]
