"""The sections of a page, in which formulas share their premises."""

from collections.abc import Iterator

import numpy as np
import sympy

from algebra import points
from algebra.errors import EvaluationError, Refusal
from algebra.evaluator import Evaluator
from algebra.nodes import Bar, Node, Statement, Symbol
from algebra.prover import Prover, squeeze
from algebra.scope import Scope, name_of
from algebra.tree import bare, is_numeric

from ..page import Page
from . import literals
from .checked_formula import CheckedFormula, read
from .premises import Premises


def sections(
    page: Page,
    scope: Scope,
    formulas: list[CheckedFormula] | None = None,
    used: set[int] | None = None,
) -> "Iterator[Section]":
    """Return the sections of a page, from one heading or ``% premise`` to the next.

    A section begins with the scope of the one before. So if sections are checked, each
    must be checked before the next one is taken.

    Args:
        page: the page.
        scope: at its beginning.
        formulas: those of the page; by default they are read.
        used: places of premises and conditions that proofs needed, which grows.
    """
    if formulas is None:
        formulas = [read(formula) for formula in page.formulas]
    used = set() if used is None else used
    starts = [start for start, _, _ in page.headings]
    parts: list[tuple[bool, list[CheckedFormula]]] = [(True, [])]
    for formula in formulas:
        if starts and starts[0] < formula.source.start:
            starts = [start for start in starts if start > formula.source.start]
            parts.append((True, []))
        if "premise" in formula.marks:
            parts.append((False, []))
        parts[-1][1].append(formula)
    for has_heading, part in parts:
        scope = scope.next_section(keep_values=not has_heading)
        yield Section(part, scope, page, used)


class Section:
    """Formulas that share their premises, which are added to the scope."""

    def __init__(
        self, formulas: list[CheckedFormula], scope: Scope, page: Page, used: set[int]
    ) -> None:
        self.formulas = formulas
        self.scope = scope
        self._page = page
        self._used = used
        self._premises = Premises(formulas, scope)
        self._premises.collect()
        self._prover = Prover(scope, used)

    def check(self) -> None:
        """Prove the claims."""
        for formula in self.formulas:
            for number, statement in enumerate(formula.statements):
                with formula.catch(statement, number):
                    self._check(formula, number, statement)
            if formula.display:
                self.scope.inline_conditions.clear()

    def _check(
        self, formula: CheckedFormula, number: int, statement: Statement
    ) -> None:
        sides, relations = statement.sides, statement.relations
        place = formula.place(statement)
        if not relations:
            return
        if relations == ("∈",):
            for member in sides[:-1]:
                Evaluator(self.scope).value(member)
        elif self._premises.restricts(statement):
            for condition in self._prover.conditions(statement):
                points.require_points(condition)
            if not formula.display:
                self.scope.inline_conditions.append((place, statement))
        else:
            if relations[0] == ":=":
                self.scope.loss_differential = sides[1], place
            self._check_claim(formula, number, statement)

    def _check_claim(
        self, formula: CheckedFormula, number: int, statement: Statement
    ) -> None:
        place = formula.place(statement)
        # The first relation of a premise holds by definition.
        start = int(number in formula.premises)
        sides, relations = statement.sides[start:], statement.relations[start:]
        if not relations:
            return
        try:
            formula.cases += self._prover.prove(sides, relations, place)
        except Refusal:
            if self._gives_a_value(formula, statement):
                return
            raise
        formula.derived.add(number)
        self._used.add(place)

    def _gives_a_value(self, formula: CheckedFormula, statement: Statement) -> bool:
        """Return whether a symbol gets a value, which it has from here on."""
        symbol, prefix = bare(statement.sides[0]), ""
        number, *numbers = statement.sides[1:]
        if isinstance(symbol, Bar) and not formula.display:
            symbol, prefix = symbol.symbol, "bar "
        if not isinstance(symbol, Symbol) or not is_numeric(number):
            return False
        scope = self.scope
        name, indices = name_of(symbol, scope)
        if self._has_a_value(name):
            return False
        name = prefix + name
        place = formula.place(statement)
        if formula.display:
            if name in scope.maps or numbers:
                return False
            self._require_in_program(symbol, number)
        elif numbers:
            self._prover.prove(statement.sides[1:], statement.relations[1:], place)
        value = Evaluator(scope).value(number)
        if np.shape(value) and name in scope.sizes:
            raise EvaluationError(f"{name} counts elements", symbol.position)
        formula.gives_value = True
        if not indices:
            # Values that are computed from this one change.
            for computed in [*scope.values]:
                if name in self._prover.inputs_of(computed):
                    del scope.values[computed]
            scope.values[name] = number, place
            scope.names.add(name)
        return True

    def _has_a_value(self, name: str) -> bool:
        """Return whether the values of its inputs determine that of a name."""
        if name not in self.scope.maps or not self.scope.values:
            return False
        evaluator = Evaluator(self.scope)
        if evaluator.is_input(name):
            return False
        numbers = self._prover.input_values()
        return not any(
            sympy.sympify(each).subs(numbers).free_symbols
            for each in np.ravel(evaluator.expand(name))
        )

    def _require_in_program(self, symbol: Symbol, number: Node) -> None:
        """Raise EvaluationError if no program or output has displayed numbers."""
        value = squeeze(np.array(Evaluator(self.scope).value(number), complex))
        shape = self.scope.shapes.get(name_of(symbol, self.scope)[0], value.shape)
        if shape != value.shape:
            raise EvaluationError(
                f"shape {list(value.shape)}, where {list(shape)} is stated",
                number.position,
            )
        if not literals.contain(self._page, value, 0):
            raise EvaluationError(
                "no program of this page has these numbers", number.position
            )
