"""Formulas in running text.

Each is proven as a displayed one is, from what any section of its page states, or of
a page that its paragraph links to; or it stands in such a formula, or in a program of
the page; or it gives what something proven follows from, or numbers that a program or
a trace has. What does none of it fails, unless a comment names it:
``<!-- unchecked: LATEX -->``.

A single symbol must be one of the page's: in a formula of more than it, or a name in
its programs or code.
"""

import re
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np

from ..finding import STATES
from ..page import Page
from . import literals
from .inline import Flat, Flattener, expressions, is_compound, of_program, unsigned
from .latex import Refusal, Statement, parse
from .meaning import Meaning, Scope, name_of
from .section import Reading, Section
from .tree import bare, is_condition, is_numeric, symbols, walk

_LINK = re.compile(r"\]\((?P<path>[\w./-]+\.md)(?:#[\w.-]*)?\)")
_NAME = re.compile(r"[A-Za-z]+")
_LATEX_NAME = re.compile(r"\\([A-Za-z]+)|([A-Za-z])")

Verdict = tuple[str, str, str]
"""State, how, and evidence."""


class RunningText:
    """What one page, its programs and its links know of formulas."""

    def __init__(self, page: Page, sections: list[Section], used: set[int]) -> None:
        self._page = page
        self._sections = sections
        self._used = used
        self._standing: dict[int, set[Flat]] = {}
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
        if not read.statements and len(read.formula.text.split()) > 1:
            verdicts = [("unchecked", str(read.doubts[0]), "")]
        if not verdicts:
            return self._of_symbols(read)
        state, how, evidence = max(verdicts, key=lambda each: STATES.index(each[0]))
        if state == "unchecked":
            said = ";".join(self._page.says("unchecked", read.formula.start))
            marked = {" ".join(each.split()) for each in said.split(";")}
            state = state if read.formula.shown in marked else "failed"
        return state, how, evidence

    def _of_symbols(self, read: Reading) -> Verdict | None:
        for symbol in symbols(tuple(read.statements)):
            name = symbol.parts[0].rpartition(" ")[2].strip("\\'")
            if name.lower() not in self._names:
                return "failed", f"no formula or program of the page has {name}", ""
        return None

    @cached_property
    def _names(self) -> set[str]:
        found = {
            match[1] or match[2]
            for section in self._sections
            for read in section.reads
            if read.formula.display or any(map(is_compound, read.statements))
            for match in _LATEX_NAME.finditer(read.formula.text)
        }
        found |= {name for text in self._code for name in _NAME.findall(text)}
        return {name.lower() for name in found}

    @cached_property
    def _code(self) -> list[str]:
        """The programs of the page, and what it writes as code; a lab is one."""
        texts = [path.read_text("utf-8") for path in self._page.embedded(".py")]
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
        if where in self._used or statement.relations in (("∈",), ("…",)):
            return "given", "what is checked follows from it", ""
        if place := self._stands(read, statement):
            return "proven", f"stands in {place}", ""
        if self._runs(statement):
            return "compared", "stands in a program of the page", ""
        if self._is_tied(statement):
            return "tied", "a program or trace of the page has its numbers", ""
        doubt = read.doubts.get(number)
        return (
            "unchecked",
            "stands in no formula or program of the page"
            + (f", and is not proven: {doubt}" if doubt else ""),
            "",
        )

    def _stands(self, read: Reading, statement: Statement) -> str | None:
        """In which formulas, the nearest first."""
        flattener = Flattener(keeps_indices=True)
        wanted = set(flattener.pairs(statement)) or {
            unsigned(flattener.flat(side)) for side in statement.sides
        }
        own = next(each for each in self._sections if read in each.reads)
        for place, sections in (
            ("a formula of the section", [own]),
            ("a formula of the page", self._sections),
            ("a formula of a page that is linked", self._linked(read)),
        ):
            if any(wanted <= self._expressions(section) for section in sections):
                return place
        return None

    def _expressions(self, section: Section) -> set[Flat]:
        """What stands in formulas that are checked, or are what is checked against."""
        if id(section) not in self._standing:
            found: set[Flat] = set()
            for read in section.reads:
                known = read.formula.display or read.proven
                for number, statement in enumerate(read.statements):
                    where = read.formula.start + statement.position
                    if known or (number in read.premises and where in self._used):
                        found |= expressions(statement)
                if "definition" in read.marks:
                    found |= _defined(read.formula.text)
            self._standing[id(section)] = found
        return self._standing[id(section)]

    def _follows(self, read: Reading, statement: Statement) -> bool:
        """Whether it holds by what another section states, or for any numbers."""
        if read.formula.display or all(map(is_numeric, statement.sides)):
            return False
        where = read.formula.start + statement.position
        stated = bare(statement.sides[0])
        name = name_of(stated, Scope())[0] if stated.kind == "symbol" else ""
        known = {name_of(symbol, Scope())[0] for symbol in symbols(statement)}
        sections = [*self._sections, *self._linked(read)]
        for scope in (*(each.scope for each in sections), Scope(known=known)):
            definition = scope.maps.get(name)
            if definition and definition.where == where:
                continue  # it would follow from itself
            try:
                other = Section(scope, [], set(), self._page)
                read.tried += other.prove(statement.sides, statement.relations)
            except Refusal:
                continue
            return True
        return False

    def _linked(self, read: Reading) -> list[Section]:
        """Of the pages that the formula's paragraph links to."""
        block = self._page.block(read.formula.start)
        text = self._page.text[block.start : block.end] if block else ""
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

    def _runs(self, statement: Statement) -> bool:
        """Whether a program computes it, under whatever name."""
        flattener = Flattener(keeps_indices=False)
        sides = [unsigned(flattener.flat(side)) for side in statement.sides]
        is_named = bare(statement.sides[0]).kind == "symbol"
        if statement.relations == ("=",) and is_named:
            return not is_numeric(statement.sides[1]) and sides[1] in self._programs
        return not statement.relations and sides[0] in self._programs

    @cached_property
    def _programs(self) -> set[Flat]:
        return set().union(*map(of_program, self._code))

    def _is_tied(self, statement: Statement) -> bool:
        """Whether programs or traces have the numbers in which a chain ends."""
        last = statement.sides[-1]
        if (
            not statement.relations
            or is_condition(statement)
            or not is_numeric(last)
            or all(map(is_numeric, statement.sides))
        ):
            return False
        try:
            value = np.array(Meaning(Scope()).value(last), complex)
        except (Refusal, TypeError):
            return False
        decimals = max(
            (n.parts[1] for n in walk(last) if n.kind == "number"), default=0
        )
        return literals.have(self._page, value, 0.5 * 10.0**-decimals * bool(decimals))


def _defined(tex: str) -> set[Flat]:
    try:
        return set().union(*map(expressions, parse(tex)))
    except Refusal:
        return set()


@lru_cache(maxsize=64)
def _noted(path: Path, root: Path) -> list[Section]:
    from .check import sections

    return list(sections(Page(path, root), Scope()))
