"""Whether the formulas of a page hold: each is a premise, is proven, or fails.

A section's first ``symbol = …`` is a **premise**; later sections know it until they
state another. Every other relation is a **claim**: its sides are written in the
inputs, differentiated by SymPy, and compared to 30 digits at random points that
fulfill the conditions stated on the page. A premise from which nothing follows is
refused, so that a change of it breaks something.

A comment in a displayed formula declares what cannot be seen:
``% premise`` its symbols are stated anew from here on;
``% definition`` it says what something is called, and is not checked.
"""

from collections.abc import Iterator
from pathlib import Path

from ..finding import Finding
from ..page import Formula, Page
from .latex import Refusal, marks, parse
from .meaning import Scope
from .section import Reading, Section

_MARKS = {"premise", "definition"}


def check(pages: list[Page], root: Path) -> list[Finding]:
    """What holds of every formula; displayed ones that are not read fail."""
    return [finding for page in pages for finding in check_page(page)]


def check_page(page: Page) -> list[Finding]:
    return _Checker(page).findings()


def sections(page: Page, scope: Scope) -> Iterator[Section]:
    """The formulas that share what is stated, with what each takes over; not
    judged."""
    return _Checker(page).sections(scope)


class _Checker:
    def __init__(self, page: Page) -> None:
        self._page = page
        self._used: set[int] = set()
        self._reads: list[Reading] = []

    def sections(self, scope: Scope) -> Iterator[Section]:
        for new_section, part in self._parts():
            given = {} if new_section else scope.values
            scope = scope.within()
            scope.values.update(given)
            section = Section(scope, part, self._used, self._page)
            section.note()
            yield section

    def findings(self) -> list[Finding]:
        for section in self.sections(Scope()):
            section.judge()
        return [finding for read in self._reads if (finding := self._finding(read))]

    def _parts(self) -> list[tuple[bool, list[Reading]]]:
        """The formulas from one heading, or one ``% premise``, to the next."""
        starts = [start for start, _, _ in self._page.headings]
        parts: list[tuple[bool, list[Reading]]] = [(True, [])]
        for formula in self._page.formulas:
            if starts and starts[0] < formula.start:
                starts = [start for start in starts if start > formula.start]
                parts.append((True, []))
            read = self._read(formula)
            if "premise" in read.marks:
                parts.append((False, []))
            parts[-1][1].append(read)
        return parts

    def _read(self, formula: Formula) -> Reading:
        read = Reading(formula, [], marks(formula.text))
        self._reads.append(read)
        words = [mark.partition(":")[0].strip() for mark in read.marks]
        if unknown := set(words) - _MARKS:
            read.fail(f"unknown mark: {', '.join(sorted(unknown))}", 0)
        if "definition" in words or read.failure:
            read.marks = words
            return read
        read.marks = words
        try:
            read.statements = parse(formula.text)
        except Refusal as error:
            if formula.display:
                read.fail(str(error), error.position)
        return read

    def _finding(self, read: Reading) -> Finding | None:
        formula = read.formula
        kind = "formula" if formula.display else "inline formula"
        state, how = "proven", "SymPy, at random points"
        position = 0
        unused = [
            statement.position
            for number, statement in enumerate(read.statements)
            if number in read.premises
            and read.premises[number] is not None
            and formula.start + statement.position not in self._used
        ]
        if read.failure:
            state, (how, position) = "failed", read.failure
        elif "definition" in read.marks:
            state, how = "definition", "marked by its writer"
        elif formula.display and unused and not read.given:
            state, position = "failed", unused[0]
            how = "a premise from which nothing follows that is checked"
        elif formula.display and read.only_domains:
            state, how = "given", "says where its symbols live"
        elif not read.proven:
            if not read.premises and not read.given:
                return None
            state, how = "given", "what is checked follows from it"
        line = self._page.line(formula.start + position)
        return Finding(
            kind,
            state,
            self._page.shown,
            f"{self._page.shown}:{line}",
            formula.shown,
            how,
        )
