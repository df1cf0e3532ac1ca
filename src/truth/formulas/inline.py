"""Formulas in running text.

Each is derived as a displayed one is, from the premises of any section of its page, or
of a page to which its paragraph links; or it is a part of such a formula; or it is a
premise of something derived, or has numbers of a program or an output; or it claims
nothing, because it is an expression alone. Any other formula fails, unless a comment
names it: ``<!-- unchecked: LATEX -->``.

A single symbol, with its number if it has one, must be one of the page's: in a formula
of more than it, or a name in its programs or code. An expression marked as upstream,
local or downstream must be marked so in a formula of the page.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np

from algebra import nodes, normal
from algebra.errors import Refusal, WrongNumber
from algebra.evaluator import Evaluator
from algebra.latex import parse
from algebra.nodes import Statement, Symbol
from algebra.normal import NormalForm, is_compound, normal_form
from algebra.scope import Scope, name_of, names_in, plain
from algebra.tree import Tree, bare, is_numeric, symbols, walk
from tracebook import includes

from ..finding import STATES
from ..page import Page
from . import literals
from .checked_formula import CheckedFormula, is_unchecked
from .prover import Prover
from .section import Section
from .section import sections as sections_of

_LINK = re.compile(r"\]\((?P<path>[\w./-]+\.md)(?:#[\w.-]*)?\)")
_SIGN = re.compile(r":=|\\def\b.*|\\[A-Za-z]+(?:\{\w\})?")
"""No formula: a sign that the text speaks of, or a macro for a notebook."""
_NAME = re.compile(r"[A-Za-z]+\d*|[A-Za-z](?:_\d+)?")
_EXPRESSION = "expression"
_STATES = (*STATES[: STATES.index("unchecked")], _EXPRESSION, *STATES[-3:])
"""The states of findings, and that of an expression alone, the strongest first."""
Verdict = tuple[str, str]
"""State and detail of a finding."""
Mark = tuple[str, str]
"""A role, and the name of a symbol that is marked with it."""


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
        self._forms: dict[int, set[NormalForm]] = {}
        self._marks: dict[int, set[Mark]] = {}
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
            if is_compound(statement)
        ]
        text = formula.source.text.strip()
        if not formula.statements and not _SIGN.fullmatch(text):
            verdicts = [("unchecked", str(formula.doubts[0]))]
        if not verdicts:
            return self._symbols_verdict(formula)
        state, detail = max(verdicts, key=lambda verdict: _STATES.index(verdict[0]))
        if state == _EXPRESSION:
            return "unchecked", detail
        if state == "unchecked" and not is_unchecked(self._page, formula):
            state = "failed"
        return state, detail

    def _symbols_verdict(self, formula: CheckedFormula) -> Verdict | None:
        for statement in formula.statements:
            for symbol in symbols(statement):
                if not _spellings(symbol, self._names) & self._names:
                    name = plain(symbol.name)
                    return "failed", f"no formula or program of the page has {name}"
            if not self._is_marked_alike(formula, statement):
                return "failed", "no formula of the page has it so marked"
        return None

    def _statement_verdict(
        self, formula: CheckedFormula, number: int, statement: Statement
    ) -> Verdict:
        if number in formula.derived:
            return "compared", "with what follows from the premises, by SymPy"
        doubt = formula.doubts.get(number)
        is_used = formula.place(statement) in self._used and doubt is None
        if is_used or statement.relations == ("∈",):
            return "given", "what is checked follows from it"
        if origin := self._origin(formula, statement):
            return "compared", f"stands in {origin}"
        # A size that the page gives differs from those that are tried.
        sizes = self._section_of[id(formula)].scope.sizes
        has_size = any(symbol.name in sizes for symbol in symbols(statement))
        is_refuted = isinstance(doubt, WrongNumber) and not has_size
        is_marked_alike = self._is_marked_alike(formula, statement)
        if not is_refuted and is_marked_alike and self._is_tied(formula, statement):
            return "tied", "a program or an output of the page has its numbers"
        if not self._has_other_roles(formula, statement) and _claims_nothing(statement):
            # "The derivative is $3 x$" claims something, which no program reads.
            return _EXPRESSION, "an expression alone, in no formula of the page"
        detail = "stands in no formula of the page"
        return (
            "unchecked",
            f"{detail}, nor does it follow: {doubt}" if doubt else detail,
        )

    @cached_property
    def _section_of(self) -> dict[int, Section]:
        """The section of each formula, by the formula's id."""
        return {id(f): section for section in self._sections for f in section.formulas}

    @cached_property
    def _names(self) -> set[str]:
        """Names of symbols, sizes, indices and functions, in formulas and in code."""
        names = {name for text in self._code for name in _NAME.findall(text)}
        for formula in self._formulas:
            if not formula.display and not any(map(is_compound, formula.statements)):
                continue
            for node in walk(tuple(_statements(formula))):
                if isinstance(node, Symbol):
                    names |= _spellings(node, set())
                    names |= {index.letter for index in node.indices}
                elif isinstance(node, nodes.Space):
                    names |= set(node.sizes)
                elif isinstance(node, nodes.Differential):
                    names.add("d")
                elif isinstance(node, nodes.Call) and node.name == "sigmoid":
                    names.add("sigma")
        return names

    @cached_property
    def _code(self) -> list[str]:
        """The programs of the page, and the code in its text; a lab is a program."""
        texts = [includes.visible(each.source) for each in self._page.programs.values()]
        texts += [piece.text for piece in (*self._page.codes, *self._page.fences)]
        return texts + [self._page.source] * (self._page.path.suffix == ".py")

    def _is_marked_alike(self, formula: CheckedFormula, statement: Statement) -> bool:
        """Return whether other formulas mark the same symbols with the same roles."""
        marks = set(_marks(statement))
        return not marks or marks <= self._all_marks(formula)

    def _has_other_roles(self, formula: CheckedFormula, statement: Statement) -> bool:
        """Return whether other formulas mark the same symbols with other roles."""
        marks = self._all_marks(formula)
        marked = {name for _, name in marks}
        return any(
            mark not in marks and mark[1] in marked for mark in _marks(statement)
        )

    def _all_marks(self, formula: CheckedFormula) -> set[Mark]:
        """Return the marks of displayed or derived formulas that count for one."""
        for section in (sections := [*self._sections, *self._linked(formula)]):
            if id(section) not in self._marks:
                self._marks[id(section)] = {
                    mark
                    for peer in section.formulas
                    if peer.display or peer.derived
                    for mark in _marks(tuple(_statements(peer)))
                }
        return set().union(*(self._marks[id(section)] for section in sections))

    def _origin(self, formula: CheckedFormula, statement: Statement) -> str | None:
        """Return where a statement is a part of a formula, the nearest first."""
        forms = set(normal.relation_forms(statement)) or {
            normal.unsigned(normal_form(side)) for side in statement.sides
        }
        for origin, sections in (
            ("a formula of the section", [self._section_of[id(formula)]]),
            ("a formula of the page", self._sections),
            ("a formula of a page that is linked", self._linked(formula)),
        ):
            if any(forms <= self._section_forms(section) for section in sections):
                return origin if self._is_marked_alike(formula, statement) else None
        return None

    def _section_forms(self, section: Section) -> set[NormalForm]:
        """Return the parts of formulas that are displayed, derived or premises."""
        if id(section) not in self._forms:
            forms: set[NormalForm] = set()
            for formula in section.formulas:
                for number, statement in enumerate(_statements(formula)):
                    is_used = formula.place(statement) in self._used
                    if (
                        formula.display
                        or formula.derived
                        or (number in formula.premises and is_used)
                    ):
                        forms |= normal.all_normal_forms(statement)
            self._forms[id(section)] = forms
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

        The sides before them must be derived, or be a part of a formula.
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
        elif is_compound(chain) and not self._origin(formula, chain):
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


def _claims_nothing(statement: Statement) -> bool:
    """Return whether a statement is an expression alone, or names it: ``y = f(x)``."""
    first, *rest = statement.sides
    is_name = isinstance(bare(first), Symbol) and len(rest) == 1
    if statement.relations and not (is_name and statement.relations == ("=",)):
        return False
    return not any(map(is_numeric, rest))


def _spellings(symbol: Symbol, names: Iterable[str]) -> set[str]:
    """Return the names that formulas and programs give to a symbol.

    The number of a symbol is a part of its name, unless ``names`` has no such family.
    """
    name = plain(symbol.name).rpartition(" ")[2].strip("'")
    numbers = [index.offset for index in symbol.indices if not index.letter]
    is_numbered = not names or any(each.startswith(f"{name}_") for each in names)
    if len(numbers) != 1 or not is_numbered:
        return {name, name.lower()}
    return {f"{name}_{numbers[0]}", f"{name}{numbers[0]}"}


def _marks(tree: Tree) -> Iterator[Mark]:
    for role in walk(tree):
        if isinstance(role, nodes.Role):
            bars = {
                id(node.symbol) for node in walk(role) if isinstance(node, nodes.Bar)
            }
            for symbol in symbols(role):
                prefix = "bar " if id(symbol) in bars else ""
                yield role.role, prefix + symbol.name


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
