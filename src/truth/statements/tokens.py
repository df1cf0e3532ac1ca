"""The tokens of a sentence, and whether a test supplies them.

Numbers, number words, names of the API and messages are tokens. A test supplies a
number if one of its assertions compared a value that reads like it, a number word if
one compared such a count, a message if one compared a text that has it, and a name if
the test or a program that it runs uses that name. So a digit that is changed on the
page alone has no test that supplies it.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from .evidence import Evidence

_UP_TO_TWENTY = """one two three four five six seven eight nine ten eleven twelve
    thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty"""
WORDS: dict[str, float] = {
    **{word: n for n, word in enumerate(_UP_TO_TWENTY.split(), 1)},
    "once": 1,
    "twice": 2,
    "thrice": 3,
    "half": 0.5,
    "hundred": 100,
}
_NUMBER_WORD = re.compile(rf"(?<![\w-])(?:{'|'.join(WORDS)})(?![\w])", re.IGNORECASE)
_NUMBER = re.compile(
    r"(?:(?<![\w).,-])[-−])?"
    r"(?:(?<![\w.])\d{1,3}(?:,\d{3})+(?:\.\d+)?"
    r"|(?<![\w.,])\d+(?:\.\d+)?(?:[eE][-−+]?\d+)?)"
)
_CODE = re.compile(r"`+([^`]+)`+")
_FORMULA = re.compile(r"\$[^$]*\$")
_NAME = re.compile(r"\b(?:tf|keras|np|tape)(?:\.\w+)+")
_MESSAGE = re.compile(r"[A-Z].* .*")
_HOLE = re.compile(r"…|\.\.\.")


@dataclass(frozen=True)
class Token:
    """One thing that a sentence says and a test can supply."""

    kind: str
    """``number``, ``word``, ``name`` or ``message``."""
    text: str

    def __str__(self) -> str:
        return f"`{self.text}`" if self.kind in ("name", "message") else self.text


def tokens(sentence: str) -> Iterator[Token]:
    """Those of a sentence, as it is read; formulas have checks of their own."""
    for code in _CODE.findall(sentence):
        for name in _NAME.findall(code):
            yield Token("name", name)
        if _MESSAGE.fullmatch(code) and not _NAME.search(code):
            yield Token("message", code)
    words = _FORMULA.sub(" ", _CODE.sub(" ", sentence))
    for word in _NUMBER_WORD.findall(words):
        yield Token("word", word.lower())
    for number in _NUMBER.findall(words):
        yield Token("number", number)


def formulas(sentence: str) -> list[str]:
    return _FORMULA.findall(_CODE.sub(" ", sentence))


def supplied(
    token: Token, evidence: Evidence, names: Collection[str], shown: str = ""
) -> bool:
    """Whether a test supplies a token: by its evidence, by the identifiers that it
    uses, or, of numbers with three digits and more and of messages, what its page
    shows as the output of programs."""
    if token.kind == "name":
        return token.text.rpartition(".")[2] in names
    if token.kind == "message":
        return any(_has(text, token.text) for text in (*evidence.texts, shown))
    if token.kind == "word":
        value = WORDS[token.text]
        return value in (evidence.counts if value >= 1 else evidence.numbers)
    number = token.text.replace(",", "").replace("−", "-")
    text, value = number.lstrip("-"), abs(float(number))
    # A number may be told without its sign, but not with another one.
    signed = [each for each in evidence.numbers if each < 0 or number[0] != "-"]
    if any(_reads_as(each, text, value) for each in signed):
        return True
    digits = re.sub(r"\D", "", token.text).strip("0")
    return len(digits) >= 3 and any(
        _reads_as(each, text, value) for each in _shown_numbers(shown)
    )


def unsupplied(
    sentence: str, by: Iterable[tuple[Evidence, Collection[str]]], shown: str = ""
) -> list[Token]:
    """The tokens of a sentence that none of its tests supplies."""
    tests = list(by)
    return [
        token
        for token in dict.fromkeys(tokens(sentence))
        if not any(supplied(token, its, names, shown) for its, names in tests)
    ]


def _reads_as(value: float, text: str, shown: float) -> bool:
    """Whether a value is printed so: the same at the precision that is shown; also as
    percent, and of either sign."""
    mantissa = text.lower().partition("e")[0]
    half = 0.5000001 * 10.0 ** -len(mantissa.partition(".")[2])
    for each in (abs(value), abs(value) * 100):
        if "e" in text.lower():
            near = shown != 0 and abs(each / shown - 1) < 1e-3
        elif "." in text:
            near = abs(each - shown) <= half
        else:
            near = each > 10 and round(each) == shown
        if near or each == shown:
            return True
    return False


def _has(text: str, message: str) -> bool:
    """Whether a text has a message, whose holes may be anything."""
    at = 0
    for part in _HOLE.split(" ".join(message.split())):
        found = text.find(part.strip(), at)
        if found < 0:
            return False
        at = found + len(part.strip())
    return True


_shown: dict[str, list[float]] = {}


def _shown_numbers(shown: str) -> list[float]:
    if shown not in _shown:
        _shown.clear()
        found = re.findall(r"\d+(?:\.\d+)?(?:[eE][-+]?\d+)?", shown)
        _shown[shown] = [float(each) for each in found]
    return _shown[shown]
