r"""Every number in running text that states a result, tied to what proves it.

The first tie that applies decides, and where it does not hold, the number fails:

- **computed**: a chain that ends in a number, ``$2 x_0 = 32$``, is evaluated. A
  symbol has the values that its block gives it, or else those that traces and
  programs of the section, or of the page, print or assign.
- **bounded**: what a formula or a side, "left of 0", bounds is 0, or what the
  section's formulas and programs compare that symbol with.
- **labeled**: ``$\upstream{\bar y} = 6$``, "loss 2", or a cell below ``$y$`` is a
  value of that name in a trace. Names of one block stand together, in one line or
  one column of a trace, where any line has as many of them.
- **listed**: "1, 10 and 100" or ``$(2, 40, 600)$`` stand side by side.
- **shown**: the number stands in a trace, a program or a displayed formula: one of
  three digits anywhere on the page, another in its section if that has programs.

Evidence of the section goes before that of the page. A comment at the end of a
block may prove what this does not: its numbers are in the files that it names,
``<!-- proof: NAME.out -->``, or are computed, ``<!-- proof: 4 * 1000000**2 = -->``.
A bare constant there says that the number comes from elsewhere: a definition.

A number is **weak** if it would hold with one of its digits raised by one as well;
so are most small whole numbers, which stand in every trace.

What states no result is told apart by ``TOLD_APART``, and a formula without a
number of its own, such as $y = x^2$, is left to the check of formulas. A page
that names the command that wrote it is made from data, and is left out.
"""

import ast
import math
import operator
import re
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from ..finding import Finding
from ..formulas.latex import Node, Statement
from ..formulas.tree import walk
from ..page import Block, Formula, Page
from .sources import (
    Evidence,
    Number,
    Row,
    Source,
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
    as_float,
    base_of,
    labels_of,
    last_number,
    name_of,
    plain_value,
    statements,
    statements_in,
)

WEAK = "weak"
_EXPONENT = re.compile(r"\de[-+]?\d")
"""Begins what is said of a number that would hold with another digit as well."""

TOLD_APART = {
    "the number of a list item": r"^[ \t]*\d+\.(?=\s)",
    "a heading": r"^#+ .*$",
    "a version": r"\b[A-Z]\w+ \d+(?:\.(?:\d+|x))+(?:(?:, | or | and )\d+\.\d+)*",
    "a date": r"\b\d{1,2} [A-Z][a-z]+ \d{4}\b|\b[A-Z][a-z]+ \d{1,2}, \d{4}\b"
    r"|\b\d{4}-\d\d-\d\d\b|(?:,|\b(?:[Ii]n|[Ss]ince|by))\s+(?:19|20)\d\d\b",
    "a duration or a size": r"\b\d+(?:[.,]\d+)? (?:ms|s|seconds?|minutes?|hours?|days?"
    r"|kB|[MG]i?B)\b",
    "a shape in a formula": r"\$[^$\n]*\\times[^$\n]*\$",
    "an ordinal": r"\b\d+(?:st|nd|rd|th)\b",
    "what is denied": r"\b(?:not|nowhere|never)(?: for)?\s+(?:[-−]?\d[\d.]*"
    r"|\$[^$\n]+\$)",
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
_AND = re.compile(r"\s*(?:,|,?\s+and|,?\s+or)\s+")
_LABEL = re.compile(
    r"(?P<label>[A-Za-z_][\w.]*)(?:\s+(?:is|are|was|of|the|exactly|still|says|picks"
    r"|sends|stays|returns|tape))*\s*[=:]?\s*$"
)
_PLACE = re.compile(r"(?<![Aa]way)(?:^|\s)(?:[Aa]t|[Ff]rom)\s+$")
_APART = "\0"
_PLACED = "x"
"""What a place, "at 0", is a value of."""
_BOUND = re.compile(
    r"\b(?:[Ll]eft of|[Rr]ight of|side of|around|across|cross(?:es)?"
    r"|(?:[Aa]way|[Ff]ar) from)\s+$"
)
_OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_COMPUTED = ("tied", "computed")
_WORDS_AROUND = 30
"""Characters on both sides of a number that a message shows."""
_CLOSE = 1e-4
"""How far from the exact result a comment may prove another, rounded one."""


@dataclass(frozen=True)
class Claim:
    """A number of a block, and what the block calls it."""

    value: Value
    start: int
    text: str
    in_formula: bool = False
    labels: frozenset[str] = frozenset()
    place: bool = False
    """Whether the label is a guess, from "at" or "from"."""
    name: str = ""
    """The symbol, if a formula or a table gives it this value."""
    before: tuple[Number, ...] = ()
    after: tuple[Number, ...] = ()
    """The numbers that it is listed with."""
    bound: frozenset[str] = frozenset()
    """The symbols that are compared with it."""
    signed: bool = True
    said: tuple[str, str] | None = None
    """What the chain that it ends amounts to."""
    rescued: bool = True
    """Whether a comment may prove it, though it is not what was expected."""


class Numbers:
    """The numbers of one page."""

    def __init__(self, page: Page, root: Path) -> None:
        self.page, self.root = page, root
        self._parts: dict[tuple[int, int], Evidence] = {}
        self._proofs: dict[tuple[str, ...], Proof] = {}
        prose, context = list(page.prose), list(page.prose)
        for code in page.codes:
            context[code.start : code.start + len(code.text)] = code.text
        for apart in TOLD_APART_AT.finditer(page.without_fences):
            prose[apart.start() : apart.end()] = _APART * len(apart[0])
        self.prose = "".join(prose).replace(_APART, " ")
        self.context = "".join(context)
        self.statements = [
            (f, statements(f.text))
            for f in page.formulas
            if f.display or prose[f.start - 1] != _APART
        ]

    def judged(self) -> Iterator[tuple[int, int, Finding]]:
        """Each number: where what states it begins and ends, and what is found."""
        for formula, said in self.statements:
            if not said and not formula.display and _STATED.search(formula.text):
                yield self._found(
                    formula.start,
                    formula.text,
                    formula.shown,
                    "failed",
                    "states a number, and cannot be read",
                )
        for block in self.page.blocks:
            judge = _Judge(self, block)
            for problem in judge.proof.problems:
                yield self._found(block.start, "", problem, "failed", "proves nothing")
            for claim in judge.claims():
                yield self._found(
                    claim.start, claim.text, self._shown(claim), *judge.verdict(claim)
                )

    def _found(self, start: int, text: str, *what: str) -> tuple[int, int, Finding]:
        """From what is shown, the state, and how it was reached."""
        shown, state, how = what
        weak = how.startswith(f"{WEAK}: ")
        return (
            start,
            start + len(text),
            Finding(
                "number",
                state,
                self.page.shown,
                self.page.where(start),
                shown,
                how.removeprefix(f"{WEAK}: "),
                weak=weak,
            ),
        )

    def _shown(self, claim: Claim) -> str:
        """A formula, or a number with the words around it, on one line."""
        end = claim.start + len(claim.text)
        words = 0 if claim.in_formula else _WORDS_AROUND
        return " ".join(
            self.page.text[max(0, claim.start - words) : end + words].split()
        )

    def scopes(self, at: int) -> list[Evidence]:
        """The section, the section around it, the page: the nearest first."""
        spans = [self.page.section(at, deepest) for deepest in (6, 2, 0)]
        return [self._part(*span) for span in dict.fromkeys(spans)]

    def has_heading(self, at: int) -> bool:
        """Whether a place is below a heading, and not in the page's opening."""
        return any(level > 1 and start <= at for start, level, _ in self.page.headings)

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

    def proof(self, block: Block) -> "Proof":
        said = block.says("proof")
        if said not in self._proofs:
            self._proofs[said] = Proof(said, self.page)
        return self._proofs[said]

    @cached_property
    def bindings(self) -> list[tuple[int, str, Value]]:
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
            return [v for at, n, v in self.bindings if n == name and start <= at < end]

        base = name.removeprefix("bar ")
        labels = (
            {f"{role}_{base}" for role in ROLES}
            if base != name
            else {base.lower(), base_of(name)}
        )
        if found := bound(block.start, block.end):
            return found
        if found := self.proof(block).evidence.named(labels):
            return found
        for deepest in (6, 2, 0):
            span = self.page.section(block.start, deepest)
            if found := bound(*span) + self._part(*span).named(labels):
                return found
        return []

    @cached_property
    def definitions(self) -> dict[str, list[Node]]:
        """What formulas say that a symbol is, in other symbols."""
        found: dict[str, list[Node]] = {}
        for _, said in self.statements:
            for statement in said:
                if set(statement.relations) <= EQUAL:
                    for name in filter(None, map(name_of, statement.sides[:-1])):
                        found.setdefault(name, []).extend(
                            side
                            for side in statement.sides
                            if name_of(side) is None and plain_value(side) is None
                        )
        return found

    def thresholds(self, at: int) -> list[tuple[str, Number]]:
        """With what the formulas displayed around a place, and the programs, compare
        which symbol."""
        start, end = self.page.section(at, 2)
        shown = [
            (base_of(name_of(side) or ""), value)
            for formula, said in self.statements
            if formula.display and start <= formula.start < end
            for statement in statements_in(tuple(said))
            if not set(statement.relations) <= EQUAL
            for value in map(plain_value, statement.sides)
            if isinstance(value, Number)
            for part in statement.sides
            for side in walk(part)
        ]
        return shown + [
            each
            for source in self._part(start, end).sources
            for each in source.compared
        ]


class _Judge:
    """Reads the numbers of one block, and ties each."""

    def __init__(self, numbers: Numbers, block: Block) -> None:
        self._of, self._block = numbers, block
        self._scopes = numbers.scopes(block.start)
        self._claims: list[Claim] = []
        self._near: list[tuple[int, Value]] = []
        """What each formula of the block amounts to, and where it begins."""
        self._said = [
            (formula, statement)
            for formula, said in numbers.statements
            if not formula.display and block.start <= formula.start < block.end
            for statement in said
        ]
        self.proof = numbers.proof(block)
        for formula, statement in self._said:
            self._read(formula, statement)
        self._read_prose()

    def claims(self) -> list[Claim]:
        return list(self._claims)

    def verdict(self, claim: Claim) -> tuple[str, str]:
        """The state of a claim, and how it was reached."""
        state, how = self._judge(claim)
        if state != "failed" and not claim.said and self._is_weak(claim):
            how = f"{WEAK}: {how}"
        return state, how

    def _value_of(self, name: str) -> list[Value]:
        return self._of.values(name, self._block)

    # Reading.

    def _add(self, formula: Formula, value: Value, **more: Any) -> None:
        self._claims.append(Claim(value, formula.start, formula.text, True, **more))

    def _read(self, formula: Formula, statement: Statement) -> None:
        plain = [plain_value(side) for side in statement.sides]
        numbers = [value for value in plain if value is not None]
        relations = set(statement.relations)
        if not numbers:
            if not relations and name_of(statement.sides[0]) is None:
                amounts = amounts_of(statement.sides[0], self._value_of)
                self._near += [
                    (formula.start, amount)
                    for amount in amounts
                    if len(amounts) == 1 or isinstance(amount, tuple)
                ]
        elif "∈" in relations:
            return
        elif not relations <= EQUAL:
            names = {
                base_of(name)
                for side in statement.sides
                for part in walk(side)
                if (name := name_of(part))
            }
            for value in numbers:
                self._add(formula, value, bound=frozenset(names))
        else:
            self._read_chain(formula, statement, plain, numbers)

    def _read_chain(
        self,
        formula: Formula,
        statement: Statement,
        plain: list[Value | None],
        numbers: list[Value],
    ) -> None:
        last, name, close, unknown = numbers[-1], "", True, False
        labels: frozenset[str] = frozenset()
        said: tuple[str, str] | None = None
        for other in numbers[:-1]:
            if not (said and said[0] == "failed"):
                close = self._equal(last, other, _CLOSE)
                said = (
                    _COMPUTED
                    if self._equal(last, other)
                    else ("failed", f"is {_shown(other)}")
                )
        for side in (s for s, p in zip(statement.sides, plain) if p is None):
            labels |= labels_of(side)
            name = name_of(side) or name
            amounts = [] if name_of(side) else amounts_of(side, self._value_of)
            unknown = unknown or not (amounts or name_of(side))
            if amounts and not (said and said[0] == "failed"):
                close = any(self._equal(last, a, _CLOSE) for a in amounts)
                said = (
                    _COMPUTED
                    if any(self._equal(last, a) for a in amounts)
                    else ("failed", "is " + " or ".join(map(_shown, amounts[:3])))
                )
        if unknown and said == _COMPUTED:
            said = "tied", f"{WEAK}: computed, but for one side"
        self._near.append((formula.start, last))
        self._add(formula, last, labels=labels, name=name, said=said, rescued=close)
        for side, value in zip(statement.sides, plain):
            for node in walk(side):
                number = plain_value(node) if node.kind == "number" else None
                if (
                    isinstance(number, Number)
                    and number.half
                    and number.digits >= 3
                    and (value is not last or not _is_shown(value))
                ):
                    self._add(formula, number, signed=False)

    def _equal(self, shown: Value, amount: Value, rel: float = 0.0) -> bool:
        """Whether an amount is what is shown, or prints so in float32."""
        if isinstance(shown, tuple) or isinstance(amount, tuple):
            return (
                isinstance(shown, tuple)
                and isinstance(amount, tuple)
                and len(shown) == len(amount)
                and all(self._equal(*pair, rel) for pair in zip(shown, amount))
            )
        off = abs(shown.value - amount.value)
        if off <= rel * abs(amount.value):
            return True
        if off <= shown.half * 1.000001 + 1e-9 * abs(amount.value):
            return True
        return off <= 1e-6 * abs(amount.value) and any(
            proves(n, shown) for n in self._scopes[-1].printed
        )

    def _read_prose(self) -> None:
        start, prose = self._block.start, self._of.prose
        found = list(_IN_PROSE.finditer(prose, start, self._block.end))
        runs: list[list[re.Match]] = []
        for match in found:
            if runs and _AND.fullmatch(prose, runs[-1][-1].end(), match.start()):
                runs[-1].append(match)
            else:
                runs.append([match])
        for run in runs:
            values = tuple(map(_matched, run))
            for i, match in enumerate(run):
                before = self._of.context[start : match.start()]
                self._claims.append(
                    Claim(
                        values[i],
                        match.start(),
                        match[0],
                        before=values[:i],
                        after=values[i + 1 :],
                        **self._called(before),
                    )
                )

    def _called(self, before: str) -> dict[str, Any]:
        """What the words before a number say of it, as fields of a claim."""
        if self._block.header:
            side = self._heads.get(before.count("|"))
            if side is None:
                return {}
            return {"labels": labels_of(side), "name": name_of(side) or ""}
        if found := _LABEL.search(before):
            label = found["label"].lower()
            if any(label in row for scope in self._scopes for row in scope.rows):
                return {"labels": frozenset({label})}
        if _BOUND.search(before):
            return {"bound": frozenset({_PLACED})}
        if _PLACE.search(before):
            return {"labels": frozenset({_PLACED}), "place": True}
        return {}

    @cached_property
    def _heads(self) -> dict[int, Node]:
        """The symbol that heads each column of the table."""
        return {
            at: said[0].sides[0]
            for at, cell in enumerate(self._block.header.split("|"))
            if (found := re.search(r"\$(.+?)\$", cell))
            and (said := statements(found[1]))
        }

    # Tying.

    def _judge(self, claim: Claim) -> tuple[str, str]:
        state, how = claim.said or self._tie(claim)
        if state == "tied" and claim.said and claim.labels:
            state, how = self._labeled(claim) or (state, how)
        if state == "failed" and claim.rescued:
            return self._by_proof(claim) or (state, how)
        return state, how

    def _tie(self, claim: Claim) -> tuple[str, str]:
        if claim.bound:
            return self._compared(claim.value, claim.bound)
        if claim.labels and (said := self._labeled(claim)):
            return said
        if claim.place:
            return self._placed(claim)
        if claim.name and (said := self._defined(claim)):
            return said
        value = claim.value
        run = (*claim.before, *_as_run(value), *claim.after)
        if len(run) > 1 and self._listed(run, claim.start):
            return "tied", "listed"
        if isinstance(value, tuple) or (len(run) > 1 and not _is_telling(value)):
            return "failed", f"{_shown(run)} stand nowhere side by side"
        return self._alone(claim)

    def _alone(self, claim: Claim) -> tuple[str, str]:
        near = [
            n
            for start, value in self._near
            if start != claim.start
            for n in _as_run(value)
        ]
        if self._any(near, claim):
            return "tied", "computed near by"
        everywhere = (
            self._scopes
            if all(map(_is_telling, _as_run(claim.value)))
            else [scope for scope in self._scopes if scope.sources][:1]
        )
        if any(
            self._any(scope.numbers + scope.displayed, claim) for scope in everywhere
        ):
            return "tied", "shown"
        return "failed", f"nothing on the page shows {_shown(claim.value)}"

    def _is_weak(self, claim: Claim) -> bool:
        """Whether the number would hold with another digit as well; a small result
        of an expression might."""
        if isinstance(claim.value, Number) and not (
            claim.value.digits or _is_telling(claim.value)
        ):
            return True
        at = self._claims.index(claim)
        others = [*_other_digits(claim.value)]
        if isinstance(claim.value, Number) and _EXPONENT.search(claim.text):
            others += [replace(claim.value, value=claim.value.value / 10)]
            others += [replace(claim.value, value=claim.value.value * 10)]
        for value in others:
            self._claims[at] = replace(claim, value=value)
            state, _ = self._judge(self._claims[at])
            self._claims[at] = claim
            if state != "failed":
                return True
        return False

    @staticmethod
    def _any(numbers: Iterable[Number], claim: Claim) -> bool:
        signs = (1,) if claim.signed else (1, -1)
        return any(proves(n, sign * claim.value) for n in numbers for sign in signs)

    def _by_proof(self, claim: Claim) -> tuple[str, str] | None:
        evidence, stated = self.proof.evidence, self.proof.stated
        if isinstance(claim.value, tuple):
            return ("tied", "by its proof") if evidence.lists(claim.value) else None
        if self._any(evidence.numbers, claim):
            return "tied", "by its proof"
        if self._any(stated, claim):
            return "definition", "stated in a comment"
        return None

    def _placed(self, claim: Claim) -> tuple[str, str]:
        """Whether a place is a bound, or a value in the section's programs."""
        said = self._compared(claim.value, {_PLACED})
        near_by = self._scopes[0 if self._of.has_heading(self._block.start) else -1]
        if said[0] == "failed" and self._any(near_by.numbers, claim):
            return "tied", "shown"
        return said

    def _compared(self, value: Value, names: Iterable[str]) -> tuple[str, str]:
        """Whether something happens at this value of a symbol; 0 is a bound of
        any."""
        bounds = self._of.thresholds(self._block.start)
        if as_float(value) == 0 or any(
            name in names and proves(n, value) for name, n in bounds
        ):
            return "tied", "bounded"
        return "failed", "nothing on the page is compared with it"

    def _listed(self, values: tuple[Number, ...], at: int) -> bool:
        near = Source(
            False,
            [
                value
                for start, value in self._near
                if start != at and isinstance(value, tuple)
            ],
        )
        return any(scope.lists(values) for scope in (*self._scopes, Evidence([near])))

    def _labeled(self, claim: Claim) -> tuple[str, str] | None:
        """None: no row has such a label."""
        for scope in self._scopes:
            rows = [row for row in scope.rows if claim.labels & row.keys()]
            if not rows:
                continue
            claimed = self._claimed(scope, claim)
            most = max(len(row.keys() & claimed) for row in rows)
            for row in rows:
                common = row.keys() & claimed
                if (
                    self._has(row, claim.labels, [claim.value])
                    and (most > 1 or not claim.place)
                    and len(common) == most
                    and all(self._has(row, {label}, claimed[label]) for label in common)
                ):
                    return "tied", "labeled"
            if not claim.place:
                return "failed", (
                    f"no line of a trace has this"
                    f" {' or '.join(sorted(claim.labels))} beside the"
                    " other numbers of the paragraph"
                )
        return None

    def _defined(self, claim: Claim) -> tuple[str, str] | None:
        """Whether a formula makes the value of the block's other values; None:
        there is no such formula."""
        values = {
            other.name: [other.value]
            for other in self._claims
            if other.name and other.name != claim.name
        }
        values |= {
            name: found for name, found in self._sides.items() if name not in values
        }
        amounts = [
            amount
            for side in self._of.definitions.get(claim.name, ())
            for amount in amounts_of(side, lambda name: values.get(name, []))
        ]
        if not amounts:
            return None
        if any(self._equal(claim.value, amount) for amount in amounts):
            return _COMPUTED
        return "failed", f"is {' or '.join(map(_shown, amounts[:3]))}"

    @cached_property
    def _sides(self) -> dict[str, list[Value]]:
        """A value of each symbol that the block puts on one side of a number."""
        return {
            name: [Number(value.value + offset)]
            for _, statement in self._said
            if len(statement.sides) == 2
            and (offset := {"<": -1, ">": 1}.get(statement.relations[0]))
            and (name := name_of(statement.sides[0]))
            and isinstance(value := plain_value(statement.sides[1]), Number)
        }

    def _claimed(self, scope: Evidence, claim: Claim) -> dict[str, list[Value]]:
        """The labels of the block with their values: of places, those in the
        claim's sentence; of all, those that the rows have at all."""
        claimed: dict[str, list[Value]] = {}
        for other in self._claims:
            if (
                other.labels
                and (
                    not other.place
                    or self._sentence(other.start) == self._sentence(claim.start)
                )
                and any(
                    self._has(row, other.labels, [other.value]) for row in scope.rows
                )
            ):
                for label in other.labels:
                    claimed.setdefault(label, []).append(other.value)
        return claimed

    def _sentence(self, at: int) -> int:
        return len(self._of.page.sentences(at))

    @staticmethod
    def _has(row: Row, labels: Iterable[str], values: list[Value]) -> bool:
        return any(
            proves(shown, value)
            for label in labels
            for shown in row.get(label, ())
            for value in values
        )


def _matched(match: re.Match) -> Number:
    if match["vulgar"]:
        number = Number(_VULGAR[match["vulgar"]], 0.0, 1)
    else:
        exponent = match["e"]
        number = read_number(match["digits"] + (f"e{exponent}" if exponent else ""))
    return -1 * number if match["sign"] else number


def _other_digits(value: Value) -> Iterator[Value]:
    """The values with one digit that is shown raised by one, 9 to 0."""
    if isinstance(value, tuple):
        for i, number in enumerate(value):
            for other in _other_digits(number):
                yield (*value[:i], *_as_run(other), *value[i + 1 :])
    elif value.digits:
        decimals = round(-math.log10(2 * value.half)) if value.half else 0
        text = f"{abs(value.value):.{max(decimals, 0)}f}"
        for i, digit in enumerate(text):
            if digit != ".":
                amount = float(text[:i] + str((int(digit) + 1) % 10) + text[i + 1 :])
                amount = math.copysign(amount, value.value)
                yield Number(amount, value.half, value.digits)


def _is_telling(number: Number) -> bool:
    """Whether a number has three digits, and does not stand in every trace."""
    shown = re.sub(r"e.*|[.-]", "", f"{number.value:.12g}").strip("0")
    return (number.digits or len(shown)) >= 3


def _is_shown(value: Value) -> bool:
    """Whether a value is written out, and not the result of an expression."""
    return all(number.digits for number in _as_run(value))


def _as_run(value: Value) -> tuple[Number, ...]:
    return value if isinstance(value, tuple) else (value,)


def _shown(value: Value) -> str:
    return f"({', '.join(map(str, value))})" if isinstance(value, tuple) else str(value)


class Proof:
    """What the files and the computations in the comments of a block prove."""

    def __init__(self, texts: Iterable[str], page: Page) -> None:
        self.stated: list[Number] = []
        """Constants, which prove nothing."""
        self.problems: list[str] = []
        sources: list[Source] = []
        for text in texts:
            if text.endswith("="):
                sources += self._computed(text[:-1])
            else:
                sources += self._files(re.split(r"[,\s]+", text), page)
        self.evidence = Evidence(sources)

    def _files(self, names: list[str], page: Page) -> Iterator[Source]:
        for name in names:
            if (found := page.named(name)) and found.is_file():
                yield read_source(found)
            else:
                self.problems.append(f"{name}: no such file")

    def _computed(self, text: str) -> Iterator[Source]:
        try:
            said = ast.parse(f"({text},)", mode="eval").body
            for node in said.elts if isinstance(said, ast.Tuple) else ():
                number = ast.unparse(node)
                if re.fullmatch(r"-?[\d.]+(?:e-?\d+)?", number):
                    self.stated.append(read_number(number))
                else:
                    yield Source(False, [(Number(float(_calculated(node))),)])
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
        for _, _, finding in Numbers(page, root).judged()
    ]
