"""Formulas in running text.

Each is proven as a displayed one is, from what any section of its page states, or of a
page that its paragraph links to; or it stands in such a formula; or it gives what
something proven follows from, or numbers that a program or a trace has; or it claims
nothing, being an expression alone. What does none of it fails, unless a comment names
it: ``<!-- unchecked: LATEX -->``.

A single symbol, with its number if it has one, must be one of the page's: in a formula
of more than it, or a name in its programs or code. What is marked as upstream, local or
downstream must stand in a formula so marked.
"""

import re
from collections.abc import Iterator
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np

from algebra.flat import Flat, expressions, flat, is_compound, pairs, unsigned
from algebra.latex import Refusal, parse
from algebra.meaning import Meaning, Scope, name_of, plain
from algebra.nodes import (
    Bar,
    Call,
    Differential,
    Domain,
    Number,
    Role,
    Statement,
    Symbol,
)
from algebra.points import Contradicted
from algebra.tree import Tree, bare, is_numeric, symbols, walk
from tracebook import includes

from ..finding import STATES
from ..page import Page
from . import literals
from .section import Reading, Section
from .sections import is_unchecked
from .sections import sections as sections_of

_LINK = re.compile(r"\]\((?P<path>[\w./-]+\.md)(?:#[\w.-]*)?\)")
_SIGN = re.compile(r":=|\\def\b.*|\\[A-Za-z]+(?:\{\w\})?")
"""What is no formula: a sign of which a page speaks, and macros for a notebook."""
_NAME = re.compile(r"[A-Za-z]+\d*|[A-Za-z](?:_\d+)?")

_STRENGTH = (*STATES[: STATES.index("unchecked")], "expression", *STATES[-3:])
Verdict = tuple[str, str, str]
"""State, how, and evidence."""


class RunningText:
    """What one page, its programs and its links know of formulas."""

    def __init__(self, page: Page, sections: list[Section], used: set[int]) -> None:
        self._page = page
        self._sections = sections
        self._used = used
        self._standing: dict[int, set[Flat]] = {}
        self._marked: dict[int, set] = {}
        self._links: dict[tuple[int, int], list[Section]] = {}
        for read in (each for section in sections for each in section.reads):
            for number, statement in enumerate(read.statements):
                where = read.formula.start + statement.position
                is_open = number in read.premises and where not in used
                if (is_open or number in read.doubts) and self._follows(
                    read, statement
                ):
                    read.proven.add(number)

    def verdict(self, read: Reading) -> Verdict | None:
        """Of all that a formula says, what is known least; None: it says nothing."""
        verdicts = [
            self._of_statement(read, number, statement)
            for number, statement in enumerate(read.statements)
            if is_compound(statement)
        ]
        if not read.statements and not _SIGN.fullmatch(read.formula.text.strip()):
            verdicts = [("unchecked", str(read.doubts[0]), "")]
        if not verdicts:
            return self._of_symbols(read)
        state, how, evidence = max(verdicts, key=lambda each: _STRENGTH.index(each[0]))
        if state == "expression":
            return "unchecked", how, evidence
        if state == "unchecked" and not is_unchecked(self._page, read):
            state = "failed"
        return state, how, evidence

    def _of_symbols(self, read: Reading) -> Verdict | None:
        for statement in read.statements:
            for symbol in symbols(statement):
                if not _called(symbol, self._names) & self._names:
                    name = plain(symbol.name)
                    return "failed", f"no formula or program of the page has {name}", ""
            if not self._is_well_marked(read, statement):
                return "failed", "no formula of the page has it so marked", ""
        return None

    @cached_property
    def _names(self) -> set[str]:
        """Of symbols, sizes, indices and functions, in formulas and in code."""
        found = {name for text in self._code for name in _NAME.findall(text)}
        for read in (each for section in self._sections for each in section.reads):
            if read.formula.display or any(map(is_compound, read.statements)):
                for node in walk(tuple(_statements(read))):
                    if isinstance(node, Symbol):
                        found |= _called(node, set())
                        found |= {letter for letter, _ in node.indices}
                    elif isinstance(node, Domain):
                        found |= set(node.sizes)
                    elif isinstance(node, Differential):
                        found.add("d")
                    elif isinstance(node, Call) and node.name == "sigmoid":
                        found.add("sigma")
        return found

    def _is_well_marked(self, read: Reading, statement: Statement) -> bool:
        """Whether formulas mark these symbols so."""
        marked = set(_marked(statement))
        if not marked:
            return True
        sections = [*self._sections, *self._linked(read)]
        return marked <= set().union(*map(self._marks, sections))

    def _marks(self, section: Section) -> set:
        """How the formulas mark symbols that are displayed or proven."""
        if id(section) not in self._marked:
            self._marked[id(section)] = {
                each
                for other in section.reads
                if other.formula.display or other.proven
                for each in _marked(tuple(_statements(other)))
            }
        return self._marked[id(section)]

    @cached_property
    def _owners(self) -> dict[int, Section]:
        """The section of each reading, by its id."""
        return {id(read): each for each in self._sections for read in each.reads}

    @cached_property
    def _code(self) -> list[str]:
        """The programs of the page, and what it writes as code; a lab is one."""
        texts = [includes.read(path) for path in self._page.included_files(".py")]
        texts += [piece.text for piece in (*self._page.codes, *self._page.fences)]
        if self._page.path.suffix == ".py":
            texts.append(self._page.source)
        return texts

    def _of_statement(
        self, read: Reading, number: int, statement: Statement
    ) -> Verdict:
        where = read.formula.start + statement.position
        if number in read.proven:
            return "proven", "SymPy", ""
        is_used = where in self._used and number not in read.doubts
        if is_used or statement.relations in (("∈",), ("…",)):
            return "given", "what is checked follows from it", ""
        if place := self._stands(read, statement):
            return "proven", f"stands in {place}", ""
        doubt = read.doubts.get(number)
        own = self._owners[id(read)]
        # A size that a page gives is another than those that are tried.
        is_free = any(s.name in own.scope.sizes for s in symbols(statement))
        is_refuted = isinstance(doubt, Contradicted) and not is_free
        if (
            not is_refuted
            and self._is_well_marked(read, statement)
            and self._is_tied(read, statement)
        ):
            return "tied", "a program or trace of the page has its numbers", ""
        if not self._has_other_marks(read, statement) and _claims_nothing(statement):
            # "The derivative is $3 x$" claims something, which no program reads.
            return "expression", "an expression alone, in no formula of the page", ""
        return (
            "unchecked",
            "stands in no formula of the page"
            + (f", and is not proven: {doubt}" if doubt else ""),
            "",
        )

    def _stands(self, read: Reading, statement: Statement) -> str | None:
        """In which formulas, the nearest first."""
        wanted = set(pairs(statement)) or {
            unsigned(flat(side)) for side in statement.sides
        }
        own = self._owners[id(read)]
        for place, sections in (
            ("a formula of the section", [own]),
            ("a formula of the page", self._sections),
            ("a formula of a page that is linked", self._linked(read)),
        ):
            if any(wanted <= self._expressions(section) for section in sections):
                return place if self._is_well_marked(read, statement) else None
        return None

    def _expressions(self, section: Section) -> set[Flat]:
        """What stands in formulas that are checked, or are what is checked against."""
        if id(section) not in self._standing:
            found: set[Flat] = set()
            for read in section.reads:
                known = read.formula.display or read.proven
                for number, statement in enumerate(_statements(read)):
                    where = read.formula.start + statement.position
                    if known or (number in read.premises and where in self._used):
                        found |= expressions(statement)
            self._standing[id(section)] = found
        return self._standing[id(section)]

    def _follows(self, read: Reading, statement: Statement) -> bool:
        """Whether it holds by what another section states, or for any numbers."""
        if read.formula.display or all(map(is_numeric, statement.sides)):
            return False
        where = read.formula.start + statement.position
        stated = bare(statement.sides[0])
        name = name_of(stated, Scope())[0] if isinstance(stated, Symbol) else ""
        known = {name_of(symbol, Scope())[0] for symbol in symbols(statement)}
        sections = [*self._sections, *self._linked(read)]
        for scope in (*(each.scope for each in sections), Scope(known=known)):
            definition = scope.maps.get(name)
            if definition and definition.where == where:
                continue  # it would follow from itself
            try:
                other = Section(scope, [], set(), self._page)
                read.tried += other.prove(statement.sides, statement.relations, where)
            except Refusal:
                continue
            return True
        return False

    def _linked(self, read: Reading) -> list[Section]:
        """Of the pages that the formula's paragraph links to."""
        block = self._page.block(read.formula.start)
        if block is None:
            return []
        place = block.start, block.end
        if place not in self._links:
            self._links[place] = self._linked_from(self._page.text[slice(*place)])
        return self._links[place]

    def _linked_from(self, text: str) -> list[Section]:
        paths = {
            (self._page.path.parent / match["path"]).resolve()
            for match in _LINK.finditer(text)
        }
        return [
            section
            for path in sorted(paths - {self._page.path})
            if path.is_file()
            for section in _noted(path, self._page.root)
        ]

    def _has_other_marks(self, read: Reading, statement: Statement) -> bool:
        """Whether formulas mark its symbols, and in other roles."""
        sections = [*self._sections, *self._linked(read)]
        marks = set().union(*map(self._marks, sections))
        symbols_marked = {symbol for _, symbol in marks}
        return any(
            symbol in symbols_marked and (role, symbol) not in marks
            for role, symbol in _marked(statement)
        )

    def _is_tied(self, read: Reading, statement: Statement) -> bool:
        """Whether programs or traces have the numbers in which a chain ends that is
        of known things before."""
        *before, last = statement.sides
        before = [side for side in before if not is_numeric(side)]
        if not before or not set(statement.relations) <= {"=", "≈"}:
            return False
        if not is_numeric(last):
            return False
        chain = Statement(statement.relations[: len(before) - 1], tuple(before), 0)
        if chain.relations:
            if not self._follows(read, chain):
                return False
        elif is_compound(chain) and not self._stands(read, chain):
            return False
        value = np.array(Meaning(Scope()).value(last), complex)
        decimals = max(
            (n.decimals for n in walk(last) if isinstance(n, Number)), default=0
        )
        return literals.have(self._page, value, 0.5 * 10.0**-decimals * bool(decimals))


def _claims_nothing(statement: Statement) -> bool:
    """Whether it is an expression alone, or names one: ``y = f(x)``."""
    first, *others = statement.sides
    is_name = isinstance(bare(first), Symbol) and len(others) == 1
    if statement.relations and not (is_name and statement.relations == ("=",)):
        return False
    return not any(map(is_numeric, others))


def _called(symbol: Symbol, known: set[str]) -> set[str]:
    """What formulas and programs call a symbol: with its number, if it has one, and
    if others of its name that are known have."""
    name = plain(symbol.name).rpartition(" ")[2].strip("'")
    numbers = [str(number) for letter, number in symbol.indices if not letter]
    is_numbered = not known or any(each.startswith(name + "_") for each in known)
    if len(numbers) != 1 or not is_numbered:
        return {name, name.lower()}
    return {f"{name}_{numbers[0]}", name + numbers[0]}


def _marked(tree: Tree) -> Iterator[tuple[str, str]]:
    """Roles, and the names of what they are around."""
    for role in walk(tree):
        if isinstance(role, Role):
            bars = {id(node.symbol) for node in walk(role) if isinstance(node, Bar)}
            for symbol in symbols(role):
                bar = "bar " if id(symbol) in bars else ""
                yield role.role, bar + symbol.name


def _statements(read: Reading) -> list[Statement]:
    """Of a definition as well, which is not checked."""
    if "definition" not in read.marks:
        return read.statements
    try:
        return parse(read.formula.text)
    except Refusal:
        return []


@lru_cache(maxsize=64)
def _noted(path: Path, root: Path) -> list[Section]:
    return list(sections_of(Page(path, root), Scope()))
