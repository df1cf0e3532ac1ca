"""What a test's assertions compared, and whether it vouches for what a sentence says.

The numbers, number words, names of the API and messages of a sentence are its
*tokens*. A test vouches for a number if one of its assertions compared a value that
reads like it, for a number word if one compared such a count, for a message if one
compared a text that has it, and for a name if the test or a program that it runs uses
that name. So a digit that is changed on the page alone has nobody to vouch for it.
"""

import ast
import math
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np

MOST_VALUES = 64
"""Elements of an array that are looked at."""
MOST_AT_A_PLACE = 24
"""Different values of one operand: more were drawn at random, and vouch for nothing."""
_LONGEST = 2000
"""Letters of a text that are kept."""
_SEEN = "_seen_by_truth"
_COMPARES = ("same", "isclose", "allclose", "array_equal")
"""Functions whose arguments an assertion compares."""

# Values.


@dataclass
class Evidence:
    """The values that the assertions of one test compared."""

    numbers: set[float] = field(default_factory=set)
    counts: set[int] = field(default_factory=set)
    """Integers of Python, and lengths."""
    texts: set[str] = field(default_factory=set)


class Collector:
    """Takes in what the operands of assertions are, place by place."""

    def __init__(self) -> None:
        self._places: dict[int, Evidence] = {}

    def clear(self) -> None:
        self._places.clear()

    def seen(self, place: int, value: Any) -> Any:
        """Keep what an operand was, and return it."""
        its = self._places.setdefault(place, Evidence())
        if len(its.numbers) <= MOST_AT_A_PLACE and len(its.texts) <= MOST_AT_A_PLACE:
            _take(value, its)
        return value

    def evidence(self) -> Evidence:
        found = Evidence()
        for its in self._places.values():
            if len(its.numbers) <= MOST_AT_A_PLACE:
                found.numbers |= its.numbers
                found.counts |= its.counts
            if len(its.texts) <= MOST_AT_A_PLACE:
                found.texts |= its.texts
        return found


def _take(value: Any, its: Evidence, deep: int = 0) -> None:
    if value is None or isinstance(value, bool | np.bool_):
        return
    if isinstance(value, int | np.integer):
        its.counts.add(int(value))
        its.numbers.add(float(value))
    elif isinstance(value, float | np.floating):
        if math.isfinite(value):
            its.numbers.add(float(value))
    elif isinstance(value, complex):
        its.numbers |= {value.real, value.imag}
    elif isinstance(value, str):
        its.texts.add(" ".join(value[:_LONGEST].split()))
    elif isinstance(value, dict | list | tuple | set | frozenset):
        its.counts.add(len(value))
        its.numbers.add(float(len(value)))
        for each in list(value)[:MOST_VALUES] if deep < 4 else ():
            _take(each, its, deep + 1)
        if isinstance(value, dict) and deep < 4:
            for each in list(value.values())[:MOST_VALUES]:
                _take(each, its, deep + 1)
    else:
        array = _array(value)
        if array is not None and array.size <= MOST_VALUES:
            for each in array.ravel().tolist():
                _take(each, its, 4)


def _array(value: Any) -> np.ndarray | None:
    """A tensor of eager mode, or an array, of numbers."""
    try:
        array = value.numpy() if hasattr(value, "numpy") else value
        if isinstance(array, np.ndarray | np.generic):
            found = np.asarray(array)
            if found.dtype.kind in "iufc":
                return found
            if found.dtype.kind == "V":  # bfloat16
                return found.astype(np.float32)
    except Exception:  # a symbolic tensor has no value
        return None
    return None


def compiled(source: str, path: Path) -> CodeType:
    """A file of tests, with assertions that hand on what they compare, and that no
    setting of Python removes."""
    tree = _Assertions().visit(ast.parse(source, str(path)))
    return compile(ast.fix_missing_locations(tree), str(path), "exec")


class _Assertions(ast.NodeTransformer):
    """``assert a == b`` becomes ``if not (seen(0, a) == seen(1, b)): raise …``."""

    def __init__(self) -> None:
        self._places = 0

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        test = _Operands(self).visit(node.test)
        error = ast.Call(
            ast.Name("AssertionError", ast.Load()), [node.msg] if node.msg else [], []
        )
        check = ast.If(
            ast.UnaryOp(ast.Not(), test), [ast.Raise(exc=error, cause=None)], []
        )
        return ast.copy_location(check, node)

    def seen(self, node: ast.expr) -> ast.expr:
        if isinstance(node, ast.Starred | ast.NamedExpr):
            return node
        self._places += 1
        call = ast.Call(
            ast.Name(_SEEN, ast.Load()), [ast.Constant(self._places), node], []
        )
        return ast.copy_location(call, node)


class _Operands(ast.NodeTransformer):
    def __init__(self, outer: _Assertions) -> None:
        self._outer = outer

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        node.left = self._outer.seen(node.left)
        node.comparators = [self._outer.seen(each) for each in node.comparators]
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if ast.unparse(node.func).rpartition(".")[2] in _COMPARES:
            node.args = [self._outer.seen(each) for each in node.args]
        return node


def names_for(collector: Collector) -> dict[str, Any]:
    """What a compiled file of tests needs among its names."""
    return {_SEEN: collector.seen}


# Tokens.

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
    r"(?<![\w.])\d{1,3}(?:,\d{3})+(?:\.\d+)?|(?<![\w.,])\d+(?:\.\d+)?(?:[eE][-−+]?\d+)?"
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


def vouched(
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
    value = float(token.text.replace(",", "").replace("−", "-"))
    if any(_reads_as(each, token.text, value) for each in evidence.numbers):
        return True
    digits = re.sub(r"\D", "", token.text).strip("0")
    return len(digits) >= 3 and any(
        _reads_as(each, token.text, value) for each in _shown_numbers(shown)
    )


def unvouched(
    sentence: str, by: Iterable[tuple[Evidence, Collection[str]]], shown: str = ""
) -> list[Token]:
    """The tokens of a sentence that none of its tests supplies."""
    tests = list(by)
    return [
        token
        for token in dict.fromkeys(tokens(sentence))
        if not any(vouched(token, its, names, shown) for its, names in tests)
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
