"""Relations in running text.

Each is derived as a displayed one is, from the premises of any section of its page, or
of a page to which its paragraph links; or it stands in such a formula; or it is a
premise of something derived, or has numbers of a program or an output; or it only
gives a name to an expression. Any other relation fails, unless a comment names it:
``<!-- unchecked: LATEX -->``. An expression alone claims nothing, and isn't checked.
"""

import re
from collections.abc import Iterator
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np

from algebra import nodes
from algebra.errors import Refusal, WrongNumber
from algebra.evaluator import Evaluator
from algebra.latex import parse
from algebra.nodes import Statement, Symbol
from algebra.prover import Prover
from algebra.scope import Scope, name_of, names_in
from algebra.tree import Form, bare, form, is_numeric, symbols, walk

from ..finding import STATES
from ..page import Page
from . import literals
from .checked_formula import CheckedFormula, is_unchecked
from .section import Section
from .section import sections as sections_of

_LINK = re.compile(r"\]\((?P<path>[\w./-]+\.md)(?:#[\w.-]*)?\)")
_SIGN = re.compile(r":=|\\def\b.*|\\[A-Za-z]+(?:\{\w\})?")
"""No formula: a sign that the text speaks of, or a macro for a notebook."""
_PLAIN = Symbol | nodes.Role | nodes.Group | nodes.Bar | nodes.Differential
"""The parts of a symbol, of its differential, and of its gradient."""
_NAMED = "named"
"""The state of an expression that gets a name, and is in no other formula."""
_STATES = (*STATES[: STATES.index("unchecked")], _NAMED, *STATES[-3:])
"""The states of statements, the strongest first."""
Verdict = tuple[str, str]
"""State and detail of a finding."""


class InlineFormulas:
    """Decides on the inline formulas of a page, after its sections were checked.

    Args:
        page: the page.
        sections: its sections. What follows from another section becomes derived.
        used: places of premises that a proof needed.
    """

    def __init__(self, page: Page, sections: list[Section], used: set[int]) -> None:
        self._page = page
        self._sections = sections
        self._used = used
        self._forms: dict[int, set[Form]] = {}
        self._links: dict[tuple[int, int], list[Section]] = {}
        for formula in self._formulas:
            for number, statement in enumerate(formula.statements):
                place = formula.place(statement)
                is_unused = number in formula.premises and place not in used
                if (is_unused or number in formula.doubts) and self._follows(
                    formula, statement
                ):
                    formula.derived.add(number)

    @property
    def _formulas(self) -> Iterator[CheckedFormula]:
        return (formula for section in self._sections for formula in section.formulas)

    def verdict(self, formula: CheckedFormula) -> Verdict | None:
        """Return the verdict on the weakest statement; None if there is nothing."""
        verdicts = [
            self._statement_verdict(formula, number, statement)
            for number, statement in enumerate(formula.statements)
            if statement.relations
        ]
        text = formula.source.text.strip()
        if not formula.statements and not _SIGN.fullmatch(text):
            verdicts = [("unchecked", str(formula.doubts[0]))]
        if not verdicts:
            return None
        state, detail = max(verdicts, key=lambda verdict: _STATES.index(verdict[0]))
        if state == _NAMED:
            return "unchecked", detail
        if state == "unchecked" and not is_unchecked(self._page, formula):
            state = "failed"
        return state, detail

    def _statement_verdict(
        self, formula: CheckedFormula, number: int, statement: Statement
    ) -> Verdict:
        if number in formula.derived:
            return "compared", "with what follows from the premises, by SymPy"
        doubt = formula.doubts.get(number)
        is_used = formula.place(statement) in self._used and doubt is None
        if is_used or statement.relations == ("∈",):
            return "given", "what is checked follows from it"
        if origin := self._origin(formula, set(_relation_forms(statement))):
            return "compared", f"stands in {origin}"
        # A size that the page gives differs from those that are tried.
        sizes = self._section_of[id(formula)].scope.sizes
        has_size = any(symbol.name in sizes for symbol in symbols(statement))
        is_refuted = isinstance(doubt, WrongNumber) and not has_size
        if not is_refuted and self._is_tied(formula, statement):
            return "tied", "a program or an output of the page has its numbers"
        if _gives_a_name(statement):
            return _NAMED, "a name for an expression, from which nothing follows"
        detail = "stands in no formula of the page"
        return (
            "unchecked",
            f"{detail}, nor does it follow: {doubt}" if doubt else detail,
        )

    @cached_property
    def _section_of(self) -> dict[int, Section]:
        """The section of each formula, by the formula's id."""
        return {id(f): section for section in self._sections for f in section.formulas}

    def _origin(self, formula: CheckedFormula, forms: set[Form]) -> str | None:
        """Return where relations or expressions stand, the nearest first."""
        for origin, sections in (
            ("a formula of the section", [self._section_of[id(formula)]]),
            ("a formula of the page", self._sections),
            ("a formula of a page that is linked", self._linked(formula)),
        ):
            if any(forms <= self._section_forms(section) for section in sections):
                return origin
        return None

    def _section_forms(self, section: Section) -> set[Form]:
        """Return the parts of formulas that are displayed, derived or premises."""
        if id(section) not in self._forms:
            self._forms[id(section)] = {
                part
                for formula in section.formulas
                for number, statement in enumerate(_statements(formula))
                if formula.display
                or formula.derived
                or (
                    number in formula.premises
                    and formula.place(statement) in self._used
                )
                for part in _parts(statement)
            }
        return self._forms[id(section)]

    def _follows(self, formula: CheckedFormula, statement: Statement) -> bool:
        """Return whether a statement follows from another section, or always holds."""
        if formula.display or all(map(is_numeric, statement.sides)):
            return False
        place = formula.place(statement)
        symbol = bare(statement.sides[0])
        name = name_of(symbol, Scope())[0] if isinstance(symbol, Symbol) else ""
        sections = [*self._sections, *self._linked(formula)]
        scopes = [section.scope for section in sections]
        for scope in (*scopes, Scope(names=names_in(statement, Scope()))):
            definition = scope.maps.get(name)
            if definition and definition.place == place:
                continue  # it would follow from itself
            try:
                prover = Prover(scope, set())
                formula.cases += prover.prove(
                    statement.sides, statement.relations, place
                )
            except Refusal:
                continue
            return True
        return False

    def _is_tied(self, formula: CheckedFormula, statement: Statement) -> bool:
        """Return whether programs or outputs have the numbers at the end of a chain.

        The sides before them must be derived, be one symbol, or stand in a formula.
        """
        *before, last = statement.sides
        before = [side for side in before if not is_numeric(side)]
        if not before or not set(statement.relations) <= {"=", "≈"}:
            return False
        if not is_numeric(last):
            return False
        chain = Statement(statement.relations[: len(before) - 1], tuple(before), 0)
        if chain.relations:
            if not self._follows(formula, chain):
                return False
        elif not (
            all(isinstance(node, _PLAIN) for node in walk(before[0]))
            or self._origin(formula, {form(before[0])})
        ):
            return False
        value = np.array(Evaluator(Scope()).value(last), complex)
        decimals = max(
            (node.decimals for node in walk(last) if isinstance(node, nodes.Number)),
            default=0,
        )
        tolerance = 0.5 * 10.0**-decimals if decimals else 0.0
        return literals.contain(self._page, value, tolerance)

    def _linked(self, formula: CheckedFormula) -> list[Section]:
        """Return the sections of the pages to which a formula's paragraph links."""
        block = self._page.block(formula.source.start)
        if block is None:
            return []
        bounds = block.start, block.end
        if bounds not in self._links:
            text = self._page.text[slice(*bounds)]
            paths = {
                (self._page.path.parent / match["path"]).resolve()
                for match in _LINK.finditer(text)
            }
            self._links[bounds] = [
                section
                for path in sorted(paths - {self._page.path})
                if path.is_file()
                for section in _sections_at(
                    path, self._page.root, self._page.read_text(path)
                )
            ]
        return self._links[bounds]


def _parts(statement: Statement) -> Iterator[Form]:
    """Yield the forms of relations and expressions, also inside of others."""
    yield from _relation_forms(statement)
    for node in walk(statement):
        yield form(node)
        for part in node.parts:
            if isinstance(part, Statement):
                yield from _relation_forms(part)


def _relation_forms(statement: Statement) -> list[Form]:
    sides = [form(side) for side in statement.sides]
    return list(zip(statement.relations, sides, sides[1:]))


def _gives_a_name(statement: Statement) -> bool:
    """Return whether a statement only names an expression: ``y = f(x)``."""
    first, *rest = statement.sides
    is_name = isinstance(bare(first), Symbol) and statement.relations == ("=",)
    has_role = any(isinstance(node, nodes.Role) for node in walk(statement))
    return is_name and not is_numeric(rest[0]) and not has_role


def _statements(formula: CheckedFormula) -> list[Statement]:
    """Return the statements of a formula, also of a definition, which isn't checked."""
    if "definition" not in formula.marks:
        return formula.statements
    try:
        return parse(formula.source.text)
    except Refusal:
        return []


@lru_cache(maxsize=64)
def _sections_at(path: Path, root: Path, text: str) -> list[Section]:
    return list(sections_of(Page(path, root, text), Scope()))
