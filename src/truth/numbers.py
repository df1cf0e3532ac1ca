"""Numbers in prose stand in what the page shows.

A number of a sentence stands in an output, a program or a displayed formula of its
page, rounded to the digits of the sentence, or in the test of the claim that holds it.
Digits that stand nowhere are refused, with the nearest number that does. Number words,
integers up to twelve, numbers of a lab, and numbers in a comment ``<!-- unchecked: 4711
-->`` are counted as unchecked if they stand nowhere.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from . import claims
from .finding import Finding
from .page import BIBLIOGRAPHY, Page

_WORDS = {
    "zero": 0,
    "once": 1,
    "two": 2,
    "twice": 2,
    "three": 3,
    "thrice": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "eleven": 11,
    "twelve": 12,
    "hundred": 100,
    "thousand": 1000,
}
"""Without "one", which is mostly a pronoun."""
_NUMBER = re.compile(
    r"(?<![\w.#/^_~-])(?<!\d,)[-−+]?(?P<digits>\d{1,3}(?:,\d{3})+|\d+)(?P<part>\.\d+)?"
    r"(?P<power>e[-+]?\d+)?(?P<percent>[\s ]?%)?(?![\w/]|[.,-]\d|-[a-z])"
)
_LITERAL = re.compile(
    r"(?<![A-Za-z_])\d+(?:_\d+)*(?:\.\d*)?(?:[eE][-+]?\d+)?|(?<![\w)])\.\d+"
)
_TEX_POWER = re.compile(r"(?:(\d+(?:\.\d+)?) *\\(?:cdot|times) *)?10\^\{?(-?\d+)\}?")
_WORD = re.compile(rf"\b(?:{'|'.join(_WORDS)})\b", re.IGNORECASE)
_SKIPPED = re.compile(
    rf"\[[^\[\]]*\]\([^()]*{re.escape(BIBLIOGRAPHY)}[^()]*\)"  # a citation
    r"|\[[^\[\]]*\]\(https://github\.com/[^()\s]*\)"  # an issue or a pull request
    r"|(?<=\])\([^()\s]*(?:\s\"[^\"]*\")?\)|\]\[[^\]]*\]"  # the target of a link
    r"|\{[^{}\n]*\}|<[^<>\n]+>|https?://\S+"
    r"|[\w./-]+#\d+|\bPEP \d+|\b(?:Python|TensorFlow|Keras|NumPy|SciPy|JAX|PyTorch|XLA"
    r"|CUDA|Debian|MkDocs|Matplotlib|SymPy|[Vv]ersions?|TF|IEEE|Apache|CC BY)[- ]+"
    r"\d[\d.]*(?:(?:,| and| or| to| through)+ \d[\d.]*)*"
    r"|\b(?:January|February|March|April|May|June|July|August|September|October|November"
    r"|December) \d{4}|\b(?:19|20)\d\d-\d\d(?:-\d\d)?"
)
_IMAGE = re.compile(
    r"!\[(?P<text>(?:[^\[\]]|\[[^\]]*\])*)\]\([^)]*figures/(?P<name>[\w/-]+?)\.svg[^)]*\)"
)
_FRONT = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_MARKER = re.compile(r"^[ \t>]*(?:[-*+][ \t]+)?\d+\.(?=\s)", re.MULTILINE)
_ROUGHLY = re.compile(
    r"(?:about|around|some|nearly|almost|roughly|approximately|over|than|under|least|most"
    r"|up to|below|above|≈|~)\s*$",
    re.IGNORECASE,
)
_SMALL = 12
_NEAR = 0.3
"""A number within this relative distance is shown as the right value."""


@dataclass(frozen=True)
class Written:
    """A number in prose."""

    text: str
    value: float
    digits: int
    """After the decimal point."""
    start: int
    is_word: bool = False
    is_percent: bool = False
    is_rough: bool = False


def check(pages: list[Page], root: Path) -> list[Finding]:
    """Look up each number of the pages' prose."""
    return [
        finding
        for page in pages
        if not page.is_generated and page.path.name != BIBLIOGRAPHY
        for finding in _Numbers(page)
    ]


class _Numbers:
    """The numbers of one page."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._claims = claims.claims(page)
        self._values: dict[str, set[float]] = {}

    def __iter__(self) -> Iterator[Finding]:
        for number in written(self._page):
            state, how, evidence = self._verdict(number)
            page = self._page
            where = page.location(number.start)
            yield Finding(
                "number", state, page.label, where, number.text, how, evidence
            )

    def _verdict(self, number: Written) -> tuple[str, str, str]:
        figure = self._figure(number)
        if any(fits(number, value) for value in self._shown(figure)):
            return "compared", "an output, a program or a formula of the page", ""
        for claim in self._claims:
            if claim.span[0] <= number.start < claim.span[1]:
                tested = self._tested.get(claim.test, ())
                if any(fits(number, value) for value in tested):
                    return (
                        "compared",
                        f"the test of its claim, {claim.test}",
                        claim.test,
                    )
        if number.is_word or (number.value <= _SMALL and not number.digits):
            return "unchecked", "no output of the page has it", ""
        if number.text in self._unchecked:
            return "unchecked", "marked by its writer", ""
        if self._page.path.suffix == ".py":
            return "unchecked", "the outputs of a lab are made by the build", ""
        return "failed", self._refusal(number, figure), ""

    def _refusal(self, number: Written, figure: str) -> str:
        how = "no output, program or displayed formula of the page has it"
        if figure:
            how += f", but for the program of its figure, {figure}.py"
        values = self._shown(figure)
        near = min(values, key=lambda v: abs(v - number.value), default=math.inf)
        if abs(near - number.value) <= _NEAR * abs(number.value):
            how += f"; the nearest is {near:.10g}"
        return how

    def _figure(self, number: Written) -> str:
        """Return the figure in whose alternative text a number stands, or nothing.

        A figure may be drawn by a copy of another program. Its numbers are old if that
        program has changed, so they must stand in an output of another program.
        """
        if number.is_word or number.value <= _SMALL:
            return ""
        for image in _IMAGE.finditer(self._page.text):
            if image.start() <= number.start < image.end("text"):
                return image["name"]
        return ""

    def _shown(self, figure: str) -> set[float]:
        """Return the numbers that the page shows, without those of a figure's
        program."""
        if figure not in self._values:
            self._values[figure] = {*self._numbers(figure)}
        return self._values[figure]

    def _numbers(self, figure: str) -> Iterator[float]:
        page = self._page
        texts = [fence.text for fence in page.fences]
        if page.path.suffix == ".py":  # a lab is its own program
            texts.append(page.source)
        for path in (
            *page.included_files(".out"),
            *page.included_files(".py"),
            *page.included_files(".md"),
        ):
            below = path.relative_to(page.settings.snippets_dir)
            stem = below.with_suffix("").as_posix()
            if figure != stem and not figure.startswith(f"{stem}-"):
                texts.append(path.read_text("utf-8", "replace"))
        texts += [code.text for code in page.codes if not _NUMBER.fullmatch(code.text)]
        for text in texts:
            yield from literals(text)
        for formula in page.formulas:
            yield from _tex_literals(formula.text)

    @cached_property
    def _tested(self) -> dict[str, set[float]]:
        try:
            tests = claims.tests(claims.test_file(self._page))
        except (SyntaxError, ValueError):
            return {}
        return {test.name: literals(test.code) for test in tests}

    @cached_property
    def _unchecked(self) -> set[str]:
        marks = [said for key, said, _ in self._page.directives if key == "unchecked"]
        return {part.strip() for mark in marks for part in mark.split(";")}


def written(page: Page) -> Iterator[Written]:
    """Return the numbers of a page's prose: digits, number words, and spans of code
    that hold one number alone."""
    prose = page.prose
    for code in page.codes:
        if _NUMBER.fullmatch(code.text):
            end = code.start + len(code.text)
            prose = prose[: code.start] + code.text + prose[end:]
    for pattern in (_FRONT, _SKIPPED):
        prose = pattern.sub(_blank, prose)
    prose = _without_markers(prose)
    for match in _NUMBER.finditer(prose):
        text = match[0].strip()
        digits = match["digits"].replace(",", "")
        value = float(digits + (match["part"] or "") + (match["power"] or ""))
        before = prose[max(0, match.start() - 20) : match.start()]
        yield Written(
            text,
            value,
            len(match["part"] or ".") - 1,
            match.start(),
            is_percent=bool(match["percent"]),
            is_rough=bool(_ROUGHLY.search(before)),
        )
    for match in _WORD.finditer(prose):
        value = float(_WORDS[match[0].lower()])
        yield Written(match[0], value, 0, match.start(), is_word=True)


def _without_markers(prose: str) -> str:
    """Blank the markers of numbered lists.

    A line that begins with a number and a period is an item only in a block that begins
    as a list. In a paragraph, the number belongs to the sentence.
    """
    blocks = re.split(r"(\n[ \t]*\n)", prose)
    return "".join(
        _MARKER.sub(_blank, block) if _MARKER.match(block) else block
        for block in blocks
    )


def _blank(match: re.Match) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def literals(text: str) -> set[float]:
    """Return the absolute values of the numbers in a program or an output."""
    found = set()
    for match in _LITERAL.finditer(text):
        try:
            found.add(float(match[0].replace("_", "")))
        except ValueError:
            continue
    found |= {
        float(match[0].replace(",", ""))
        for match in re.finditer(r"\b\d{1,3}(?:,\d{3})+\b", text)
    }
    return found | {float(_WORDS[match[0].lower()]) for match in _WORD.finditer(text)}


def _tex_literals(tex: str) -> set[float]:
    """Return the numbers in LaTeX, among them the powers of ten."""
    powers = {
        float(match[1] or 1) * 10.0 ** int(match[2])
        for match in _TEX_POWER.finditer(tex)
    }
    return literals(tex.replace("{,}", "").replace(r"\,", "")) | powers


def fits(number: Written, value: float) -> bool:
    """Whether a shown value, rounded to the digits of the prose, is the number."""
    candidates = (value, value * 100) if number.is_percent else (value,)
    return any(_rounds_to(number, abs(each)) for each in candidates)


def _rounds_to(number: Written, value: float) -> bool:
    if not math.isfinite(value):
        return False
    if value == number.value:
        return True
    if "e" in number.text:
        mantissa = number.text.lower().partition("e")[0].lstrip("-−+")
        places = len(mantissa.partition(".")[2])
        return float(f"{value:.{places}e}") == number.value
    if number.digits:
        return math.isclose(round(value, number.digits), number.value, rel_tol=1e-12)
    if number.is_word or number.value <= _SMALL:
        return False
    if number.is_percent:
        return round(value) == number.value
    if number.is_rough:
        # "about 600" is 598 rounded to one digit, "about 1,230" to three.
        digits = len(str(int(number.value)).rstrip("0"))
        return value > 0 and float(f"{value:.{digits - 1}e}") == number.value
    return round(value) == number.value and value > 100
