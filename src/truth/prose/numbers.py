r"""Every number in running text that states a result, tied to what proves it.

By the first of these that applies, a number is

1. **computed**: it ends a chain, ``$2 x_0 = 32$``, that holds for the values that the
   text, a trace or a program of the section gives the symbols;
2. **marked**: a comment in its block computes it, ``<!-- proof: 2**10 = -->``, or
   names the file that has it, ``<!-- proof: NAME.out -->``; a bare constant there says
   that it comes from elsewhere: a definition;
3. **shown**: it stands in a trace, a program or a displayed formula of its section; of
   three digits, or above the first section, of the page;
4. **quoted**: it stands in the test that quotes its sentence.

Else it fails. One that is shown more than once, or has a single digit, is **weak**: the
sentence might speak of another place, unless a test quotes it. What states no result is
told apart by ``TOLD_APART``, and a page that names the command that wrote it is left
out.
"""

import ast
import math
import operator
import re
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from ..finding import Finding
from ..formulas.latex import Node, Statement
from ..formulas.tree import walk
from ..page import Block, Formula, Page
from ..testfile import tested
from .sources import (
    Evidence,
    Number,
    Value,
    proves,
    read_number,
    read_program,
    read_source,
)
from .values import (
    EQUAL,
    ROLES,
    amounts_of,
    base_of,
    last_number,
    name_of,
    plain_value,
    statements,
)

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

TOLD_APART_AT = re.compile("|".join(TOLD_APART.values()), re.MULTILINE)
_VULGAR = {"½": 1 / 2, "¼": 1 / 4, "¾": 3 / 4, "⅓": 1 / 3, "⅔": 2 / 3, "⅛": 1 / 8}
_IN_PROSE = re.compile(
    r"(?P<sign>(?<![\w)])[-−])?(?:(?P<vulgar>[½¼¾⅓⅔⅛])|(?<![\w.])"
    r"(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?:[eE](?P<e>[-−+]?\d+))?)"
    r"(?!\w|\.\d)"
)
_STATED = re.compile(r"(?:=|\\approx)\s*[-({\[]*\d")
_OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_WORDS_AROUND = 30
"""Characters on both sides of a number that a message shows."""
_FLOAT32 = 1e-6


@dataclass(frozen=True)
class Verdict:
    state: str
    how: str
    weak: bool = False


class Numbers:
    """The numbers of one page."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._parts: dict[tuple[int, int], Evidence] = {}
        apart = [found.span() for found in TOLD_APART_AT.finditer(page.without_fences)]
        prose = list(page.prose)
        for start, end in apart:
            prose[start:end] = " " * (end - start)
        self._prose = "".join(prose)
        self.statements = [
            (formula, statements(formula.text))
            for formula in page.formulas
            if formula.display
            or not any(start <= formula.start < end for start, end in apart)
        ]

    def judged(self) -> Iterator[tuple[int, int, Finding]]:
        """Each number: where what states it begins and ends, and what is found."""
        for block in self.page.blocks:
            proof = Proof(block.says("proof"), self.page)
            for problem in proof.problems:
                yield self._found(
                    block.start, problem, "", Verdict("failed", "proves nothing")
                )
            for formula, said in self.statements:
                if not formula.display and block.start <= formula.start < block.end:
                    for verdict in self._of_formula(formula, said, block, proof):
                        shown = formula.shown
                        yield self._found(formula.start, shown, formula.text, verdict)
            for match in _IN_PROSE.finditer(self._prose, block.start, block.end):
                verdict = self._verdict(_matched(match), match.start(), block, proof)
                start = max(0, match.start() - _WORDS_AROUND)
                words = self.page.text[start : match.end() + _WORDS_AROUND]
                shown = " ".join(words.split())
                yield self._found(match.start(), shown, match[0], verdict)

    def _found(
        self, start: int, shown: str, text: str, verdict: Verdict
    ) -> tuple[int, int, Finding]:
        page = self.page
        finding = Finding(
            "number",
            verdict.state,
            page.shown,
            page.where(start),
            shown,
            verdict.how,
            weak=verdict.weak,
        )
        return start, start + len(text), finding

    # What proves a number.

    def _of_formula(
        self, formula: Formula, said: list[Statement], block: Block, proof: "Proof"
    ) -> Iterator[Verdict]:
        """Of each number that an inline formula states."""
        if not said and _STATED.search(formula.text):
            unread = Verdict("failed", "states a number, and cannot be read")
            is_quoted = any(self._tests(formula.start))
            yield Verdict("tied", "a test quotes it") if is_quoted else unread
        for statement in said:
            plain = [plain_value(side) for side in statement.sides]
            if not any(plain) or "∈" in statement.relations:
                continue
            if verdict := self._computed(statement, plain, block):
                if verdict.state == "failed":
                    verdict = self._marked(plain[-1], proof) or verdict
                yield self._with_tests(verdict, _each(plain[-1]), formula.start)
                continue
            for side, value in zip(statement.sides, plain):
                is_size = (
                    value and not statement.relations and r"\times" in formula.text
                )
                for each in _literals(side) if is_size else _each(value):
                    yield self._verdict(each, formula.start, block, proof)

    def _verdict(self, value: Number, at: int, block: Block, proof: "Proof") -> Verdict:
        found = (
            self._marked(value, proof)
            or self._shown(value, at)
            or Verdict("failed", f"nothing in its section shows {value}")
        )
        return self._with_tests(found, (value,), at)

    def _with_tests(
        self, found: Verdict, values: tuple[Number, ...], at: int
    ) -> Verdict:
        """What a test says of it that quotes its sentence, where all else is weak."""
        tests = self._tests(at)
        if found.weak and any(tests):
            return Verdict("tied", f"{found.how}, and a test quotes its sentence")
        if found.state == "failed" and any(
            all(any(proves(n, value) for n in test) for value in values)
            for test in tests
        ):
            return Verdict("tied", "in the test that quotes its sentence")
        return found

    def _tests(self, at: int) -> list[list[Number]]:
        """The numbers of each test that quotes the sentence at a place, of both
        signs."""
        return [numbers for span, numbers in self._quoted if at in span]

    @cached_property
    def _quoted(self) -> list[tuple[range, list[Number]]]:
        """Where the sentences stand that tests quote, and the numbers of the tests."""
        return [(span, _numbers_in(code)) for span, code in tested(self.page)]

    def _computed(
        self, statement: Statement, plain: list[Value | None], block: Block
    ) -> Verdict | None:
        """Whether the sides of a chain that ends in a number are that number; None:
        there is nothing to compute."""
        last = plain[-1]
        if last is None or not set(statement.relations) <= EQUAL:
            return None
        sides = [
            [value]
            if value is not None
            else amounts_of(side, lambda n: self.values(n, block))
            for side, value in zip(statement.sides[:-1], plain)
        ]
        known = [amounts for amounts in sides if amounts]
        is_given = name_of(statement.sides[0]) is not None and len(sides) == 1
        if not known or is_given:
            return None
        for amounts in known:
            if not any(self._equal(last, amount, block) for amount in amounts):
                return Verdict("failed", f"is {' or '.join(map(_text, amounts[:3]))}")
        return Verdict("tied", "computed", weak=len(known) < len(sides))

    def _equal(self, shown: Value, amount: Value, block: Block) -> bool:
        """Whether an amount is what is shown, or prints so in float32."""
        if isinstance(shown, tuple) or isinstance(amount, tuple):
            return (
                isinstance(shown, tuple)
                and isinstance(amount, tuple)
                and len(shown) == len(amount)
                and all(self._equal(a, b, block) for a, b in zip(shown, amount))
            )
        off, size = abs(shown.value - amount.value), abs(amount.value)
        if off <= shown.half * 1.000001 + 1e-9 * size:
            return True
        printed = self._part(*self.page.section(block.start, 0)).printed
        return off <= _FLOAT32 * size and any(proves(n, shown) for n in printed)

    @staticmethod
    def _marked(value: Value | None, proof: "Proof") -> Verdict | None:
        if not value:
            return None
        if all(any(proves(n, each) for n in proof.numbers) for each in _each(value)):
            return Verdict("tied", "by its proof")
        if all(any(proves(n, each) for n in proof.stated) for each in _each(value)):
            return Verdict("definition", "stated in a comment")
        return None

    def _shown(self, value: Number, at: int) -> Verdict | None:
        digits = len(re.sub(r"e.*|[.-]", "", f"{value.value:.12g}").strip("0"))
        digits = max(digits, value.digits)
        opens = not any(
            level > 1 and start <= at for start, level, _ in self.page.headings
        )
        for deepest in (6, 2, 0) if digits >= 3 or opens else (6, 2):
            part = self._part(*self.page.section(at, deepest))
            times = sum(proves(n, value) for n in part.all)
            if times:
                return Verdict("tied", "shown", weak=times > 1 or digits < 2)
        return None

    # What the page says.

    def _part(self, start: int, end: int) -> Evidence:
        if (start, end) not in self._parts:
            sources = [
                read_source(path) for path in self.page.embedded(start=start, end=end)
            ]
            if self.page.path.suffix == ".py":
                sources.append(read_program(self.page.source))
            displayed = [
                sign * number
                for formula, said in self.statements
                if formula.display and start <= formula.start < end
                for node in walk(tuple(said))
                if node.kind == "number"
                if isinstance(number := plain_value(node), Number)
                for sign in (1, -1)
            ]
            self._parts[start, end] = Evidence(sources, displayed)
        return self._parts[start, end]

    @cached_property
    def _bindings(self) -> list[tuple[int, str, Value]]:
        """Where an inline formula says that a symbol has a value."""
        return [
            (formula.start, name, value)
            for formula, said in self.statements
            if not formula.display
            for statement in said
            if set(statement.relations) <= EQUAL
            for value in [last_number(statement)]
            if value is not None
            for name in map(name_of, statement.sides)
            if name
        ]

    def values(self, name: str, block: Block) -> list[Value]:
        """The values of a symbol, from the nearest place that has any."""

        def bound(start: int, end: int) -> list[Value]:
            return [v for at, n, v in self._bindings if n == name and start <= at < end]

        base = name.removeprefix("bar ")
        labels = (
            {f"{role}_{base}" for role in ROLES}
            if base != name
            else {base.lower(), base_of(name)}
        )
        if found := bound(block.start, block.end):
            return found
        for deepest in (6, 2, 0):
            span = self.page.section(block.start, deepest)
            if found := bound(*span) + self._part(*span).named(labels):
                return found
        return []


def _each(value: Value | None) -> tuple[Number, ...]:
    return value if isinstance(value, tuple) else (value,) if value else ()


@cache
def _numbers_in(code: str) -> list[Number]:
    numbers = read_program(code).numbers
    return [sign * each for each in numbers for sign in (1, -1)]


def _literals(side: Node) -> list[Number]:
    """The numbers of what is no product, such as 3 by 2."""
    found = [plain_value(node) for node in walk(side) if node.kind == "number"]
    return [each for each in found if isinstance(each, Number)]


def _text(value: Value) -> str:
    return f"({', '.join(map(str, value))})" if isinstance(value, tuple) else str(value)


def _matched(match: re.Match) -> Number:
    if match["vulgar"]:
        number = Number(_VULGAR[match["vulgar"]], 0.0, 1)
    else:
        exponent = match["e"]
        number = read_number(match["digits"] + (f"e{exponent}" if exponent else ""))
    return -1 * number if match["sign"] else number


class Proof:
    """What the files and the computations in the comments of a block prove."""

    def __init__(self, texts: Iterable[str], page: Page) -> None:
        self.stated: list[Number] = []
        """Constants, which prove nothing."""
        self.numbers: list[Number] = []
        self.problems: list[str] = []
        for text in texts:
            if text.endswith("="):
                self._compute(text[:-1])
                continue
            for name in re.split(r"[,\s]+", text):
                if (found := page.named(name)) and found.is_file():
                    self.numbers += Evidence([read_source(found)]).all
                else:
                    self.problems.append(f"{name}: no such file")

    def _compute(self, text: str) -> None:
        try:
            said = ast.parse(f"({text},)", mode="eval").body
            for node in said.elts if isinstance(said, ast.Tuple) else ():
                number = ast.unparse(node)
                if re.fullmatch(r"-?[\d.]+(?:e-?\d+)?", number):
                    self.stated.append(read_number(number))
                else:
                    self.numbers.append(Number(float(_calculated(node))))
        except (SyntaxError, ArithmeticError, ValueError, TypeError) as error:
            self.problems.append(f"{text.strip()}: {error}")


def _calculated(node: ast.expr) -> float:
    """The value of arithmetic with the functions of ``math`` and ``float32``."""
    match node:
        case ast.Constant(value=int() | float() as value):
            return value
        case ast.Name(id=name) if hasattr(math, name):
            return getattr(math, name)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_calculated(operand)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_calculated(left), _calculated(right))
        case ast.Call(func=ast.Name(id="float32"), args=[argument], keywords=[]):
            return struct.unpack("f", struct.pack("f", _calculated(argument)))[0]
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if hasattr(
            math, name
        ):
            return getattr(math, name)(*map(_calculated, arguments))
    raise ValueError(f"no arithmetic: {ast.unparse(node)}")


def check(pages: list[Page], root: Path) -> list[Finding]:
    return [
        finding
        for page in pages
        if not page.is_generated
        for _, _, finding in Numbers(page).judged()
    ]
