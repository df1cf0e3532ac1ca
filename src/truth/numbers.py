"""Check that the numbers in prose stand in what the page shows.

A number in a sentence must stand in an output, a program or a formula of the page,
rounded to the digits of the sentence, or in the test of the claim that contains it. A
decimal with a single digit, such as 0.5, is rounded only after a word such as "about".
Otherwise it fails. But numbers of a lab, and numbers in a comment
``<!-- unchecked: 4711 -->`` are unchecked then. Number words and integers up to twelve
aren't looked up, because many of them count something that no output prints.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from . import claims
from .finding import Finding
from .page import BIBLIOGRAPHY, Page

_NUMBER = re.compile(
    r"(?<!\w)(?<!\d\.)(?<![A-Za-z]-)(?P<sign>[-−+]?)(?P<digits>\d{1,3}(?:,\d{3})+|\d+)"
    r"(?P<part>\.\d+)?(?P<power>e[-+]?\d+)?(?P<percent>[\s ]?%)?"
    r"(?=(?:st|nd|rd|th)\b|(?!\w|\.\d))"
)
"""A number in prose."""
_LITERAL = re.compile(
    r"(?:[-−] ?)?(?:(?<![A-Za-z_])\d+(?:_\d+)*(?:\.\d*)?(?:[eE][-+]?\d+)?"
    r"|(?<![\w)])\.\d+)"
)
"""A number in a program or an output."""
_GROUPED = re.compile(r"[-−]?\b\d{1,3}(?:,\d{3})+\b")
_TEX_POWER = re.compile(r"(?:(\d+(?:\.\d+)?) *\\(?:cdot|times) *)?10\^\{?(-?\d+)\}?")
_SKIPPED = re.compile(
    rf"\b(?:19|20)\d\d(?=\]\([^()]*{re.escape(BIBLIOGRAPHY)})"  # of a citation
    r"|\[(?:[\w.-]+#|(?:issue|pull)\s+)(?P<issue>\d+)\]\(https://github\.com/[\w./-]*/(?P=issue)\)"
    r"|(?<=\])\([^()\s]*|\]\[[^\]]*\]"  # the target of a link
    r"|\{:?[^\S\n]*[#.][^{}\n]*\}|</?(?:span|div)\b[^<>\n]*>|https?://\S+|\bboost: 0\.5"
    r"|\bPEP \d+|\b(?:Python|TensorFlow|Keras|NumPy|SciPy|JAX|PyTorch|XLA"
    r"|CUDA|Debian|MkDocs|Matplotlib|SymPy|[Vv]ersions?|TF|IEEE|Apache|CC BY)[- ]+"
    r"\d[\d.]*(?:(?:,| and| or| to| through)+ \d[\d.]*)*"
    r"|\b(?:January|February|March|April|May|June|July|August|September|October|November"
    r"|December) \d{4}|\b(?:19|20)\d\d-\d\d(?:-\d\d)?"
)
"""Text whose numbers aren't checked: addresses, versions, dates."""
_LIST_MARKER = re.compile(r"^[ \t>]*(?:[-*+][ \t]+)?\d{1,2}\.(?=\s)", re.MULTILINE)
_ROUGHLY = re.compile(
    r"(?:about|around|some|nearly|almost|roughly|approximately|over|than|under|least|most"
    r"|up to|below|above|≈|~)\s*$",
    re.IGNORECASE,
)
"""The words before a number that is rounded to its leading digits."""
_SMALL = 12
"""Integers up to this one aren't looked up."""
_NEAR = 0.3
"""The relative distance within which another number is shown as the right one."""


@dataclass(frozen=True)
class WrittenNumber:
    """A number in prose."""

    text: str
    value: float
    decimals: int
    """The number of digits after the decimal point."""
    start: int
    """Offset into the page's text."""
    is_negative: bool = False
    is_percent: bool = False
    is_rough: bool = False

    def equals(self, value: float) -> bool:
        """Return whether a value rounds to the number, and isn't of the other sign."""
        factors = (1, 100) if self.is_percent else (1,)
        is_opposite = self.is_negative and value > 0
        return not is_opposite and any(
            self._is_rounded(abs(value) * factor) for factor in factors
        )

    def _is_rounded(self, value: float) -> bool:
        if not math.isfinite(value) or value == self.value:
            return value == self.value
        if "e" in self.text:
            mantissa = self.text.lower().partition("e")[0].lstrip("-−+")
            digits = len(mantissa.partition(".")[2])
            return float(f"{value:.{digits}e}") == self.value
        if self.decimals:
            significant = re.sub(r"\D", "", self.text).strip("0")
            if len(significant) < 2 and not self.is_rough:
                return False  # 0.5 would agree with 0.4549
            return math.isclose(round(value, self.decimals), self.value, rel_tol=1e-12)
        if self.is_rough and not self.is_percent:
            # "about 600" is 598 rounded to one digit, "about 1,230" to three.
            digits = len(str(int(self.value)).rstrip("0"))
            return value > 0 and float(f"{value:.{digits - 1}e}") == self.value
        return round(value) == self.value and (self.is_percent or value > 100)


def check(page: Page) -> list[Finding]:
    """Look up each number of a page's prose."""
    if page.is_generated or page.path.name == BIBLIOGRAPHY:
        return []
    return [*map(_ShownNumbers(page).find, find_numbers(page))]


class _ShownNumbers:
    """The numbers that a page shows."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._claims = claims.find_claims(page)

    def find(self, number: WrittenNumber) -> Finding:
        """Look up a number of the page's prose."""
        state, detail = self._result(number)
        location = self._page.location(number.start)
        return Finding("number", state, location, number.text, detail)

    def _result(self, number: WrittenNumber) -> tuple[str, str]:
        if any(map(number.equals, self._shown)):
            return "compared", "an output, a program or a formula of the page"
        for claim in self._claims:
            is_inside = claim.span[0] <= number.start < claim.span[1]
            values = self._tested.get(claim.test, ()) if is_inside else ()
            if any(map(number.equals, values)):
                return "compared", f"the test of its claim, {claim.test}"
        if number.text in self._unchecked:
            return "unchecked", "marked by its writer"
        if self._page.path.suffix == ".py":
            return "unchecked", "the outputs of a lab are made by the build"
        return "failed", self._reason(number)

    def _reason(self, number: WrittenNumber) -> str:
        reason = "no output, program or displayed formula of the page has it"
        near = min(
            self._shown, key=lambda value: abs(value - number.value), default=math.inf
        )
        if abs(near - number.value) <= _NEAR * abs(number.value):
            reason += f"; the nearest is {near:.10g}"
        return reason

    @cached_property
    def _shown(self) -> set[float]:
        """The numbers that the page shows."""
        values = set().union(*map(literals, self._texts()))
        return values.union(*(_tex_literals(f.text) for f in self._page.formulas))

    def _texts(self) -> Iterator[str]:
        page = self._page
        for fence in page.fences:
            yield fence.text
        if page.path.suffix == ".py":  # a lab is its own program
            yield page.source
        for path in page.included_files():
            yield page.read_text(path)

    @cached_property
    def _tested(self) -> dict[str, set[float]]:
        """The numbers in the tests of the page's claims, by the names of the tests."""
        try:
            source = self._page.read_text(claims.test_path(self._page))
            tests = claims.parse_tests(source)
        except (SyntaxError, ValueError):
            return {}
        return {test.name: literals(test.code) for test in tests}

    @cached_property
    def _unchecked(self) -> set[str]:
        values = [d.value for d in self._page.directives if d.key == "unchecked"]
        return {part.strip() for value in values for part in value.split(";")}


def find_numbers(page: Page) -> Iterator[WrittenNumber]:
    """Yield the numbers of a page's prose above twelve or with a decimal point, and
    those of its spans of code above twelve or with a fraction."""
    prose = page.prose
    for code in page.codes:
        if _NUMBER.fullmatch(code.text):
            end = code.start + len(code.text)
            prose = prose[: code.start] + code.text + prose[end:]
            continue
        for match in _LITERAL.finditer(code.text):
            text = match[0].lstrip("-− ")
            if (value := float(text.replace("_", ""))) > _SMALL or value % 1:
                yield WrittenNumber(text, value, 0, code.start + match.start())
    prose = _without_list_markers(_SKIPPED.sub(_blank, prose))
    for match in _NUMBER.finditer(prose):
        digits = match["digits"].replace(",", "")
        value = float(digits + (match["part"] or "") + (match["power"] or ""))
        if value <= _SMALL and not match["part"]:
            continue
        before = prose[max(0, match.start() - 20) : match.start()]
        yield WrittenNumber(
            match[0].strip(),
            value,
            len(match["part"] or ".") - 1,
            match.start(),
            is_negative=match["sign"] in ("-", "−"),
            is_percent=bool(match["percent"]),
            is_rough=bool(_ROUGHLY.search(before)),
        )


def _without_list_markers(prose: str) -> str:
    """Blank the markers of lists; in a paragraph, a number belongs to its sentence."""
    return "".join(
        _LIST_MARKER.sub(_blank, block) if _LIST_MARKER.match(block) else block
        for block in re.split(r"(\n[ \t]*\n)", prose)
    )


def _blank(match: re.Match) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def literals(text: str) -> set[float]:
    """Return the numbers in a program or an output, and their absolute values."""
    texts = [*_LITERAL.finditer(text), *_GROUPED.finditer(text)]
    values = {float(re.sub(r"[_, ]", "", m[0]).replace("−", "-")) for m in texts}
    return {*values, *map(abs, values)}


def _tex_literals(tex: str) -> set[float]:
    """Return the numbers in LaTeX, among them the powers of ten."""
    powers = {float(m[1] or 1) * 10.0 ** int(m[2]) for m in _TEX_POWER.finditer(tex)}
    return literals(tex.replace("{,}", "").replace(r"\,", "")) | powers
