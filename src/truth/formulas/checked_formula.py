"""A formula of a page with the results of its checks."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from algebra.errors import EvaluationError, Refusal, Refuted, ShapeMismatch
from algebra.latex import comments, parse
from algebra.nodes import Matrix, Statement
from algebra.tree import is_condition, is_numeric, walk
from mathml.source import Formula

from ..page import Page

_MARKS = {"premise", "definition", "unchecked"}


@dataclass
class CheckedFormula:
    """A formula, its statements, and their results by their number.

    A statement that does not follow is a doubt, which other results may remove, if it
    is in running text, or has an array that is written out in another size.
    """

    source: Formula
    statements: list[Statement] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)
    premises: dict[int, str | None] = field(default_factory=dict)
    """The name that a premise defines, or None if nothing must follow from it."""
    derived: set[int] = field(default_factory=set)
    cases: int = 0
    """The number of points at which statements without a proof were tried."""
    gives_value: bool = False
    doubts: dict[int, Refusal] = field(default_factory=dict)
    failure: tuple[str, int] | None = None
    """The first reason of a failure, and its offset in the formula."""

    @property
    def display(self) -> bool:
        return self.source.display

    @property
    def states_only_domains(self) -> bool:
        return bool(self.statements) and all(
            statement.relations == ("∈",) or is_condition(statement)
            for statement in self.statements
        )

    def place(self, statement: Statement) -> int:
        """Return the offset of a statement on the page, which identifies it."""
        return self.source.start + statement.position

    def merge(self, repetition: "CheckedFormula") -> None:
        """Add the results of the same formula for arrays of other sizes."""
        self.failure = self.failure or repetition.failure
        if self.display:
            self.derived |= repetition.derived
            for number in self.doubts.keys() & repetition.doubts.keys():
                doubt = self.doubts[number]
                self.fail(f"{doubt}; say which in \\R", doubt.position)
            return
        for number in self.derived & repetition.doubts.keys():
            doubt, sides = repetition.doubts[number], self.statements[number].sides
            # Numbers may be those of one case, whose arrays have one size.
            if type(doubt) is Refuted and not any(map(is_numeric, sides)):
                self.fail(f"{doubt}, for another size", doubt.position)
        self.derived &= repetition.derived

    def fail(self, reason: str, position: int) -> None:
        """Record a failure, unless there is one."""
        self.failure = self.failure or (reason, position)

    @contextmanager
    def catch(self, statement: Statement, number: int | None = None) -> Iterator[None]:
        """Record any error in a block as a failure of a statement, or as a doubt.

        Args:
            statement: the statement that is checked.
            number: its number, if the error may be a doubt.
        """
        try:
            yield
            return
        except Refusal as error:
            refusal = error
        except Exception as error:
            # SymPy and NumPy raise many types of errors for formulas without a value.
            reason = f"cannot be judged: {type(error).__name__}: {error}"
            refusal = EvaluationError(reason)
        refusal.position = refusal.position or statement.position
        is_other_size = isinstance(refusal, ShapeMismatch) and any(
            isinstance(node, Matrix) for node in walk(statement)
        )
        if number is not None and (not self.display or is_other_size):
            self.doubts[number] = refusal
        else:
            self.fail(str(refusal), refusal.position)


def read(source: Formula) -> CheckedFormula:
    """Parse a formula of a page; a displayed one outside of the grammar fails."""
    marks = [comment.partition(":")[0].strip() for comment in comments(source.text)]
    formula = CheckedFormula(source, marks=marks)
    if unknown := set(marks) - _MARKS:
        formula.fail(f"unknown mark: {', '.join(sorted(unknown))}", 0)
    elif "definition" not in marks:
        try:
            formula.statements = parse(source.text, not source.display)
        except Refusal as error:
            if source.display:
                formula.fail(str(error), error.position)
            formula.doubts[0] = error
    return formula


def is_unchecked(page: Page, formula: CheckedFormula) -> bool:
    """Return whether a mark, or a comment below its block, exempts a formula."""
    source = formula.source
    values = ";".join(page.directive_values("unchecked", source.start)).split(";")
    return "unchecked" in formula.marks or (
        not formula.display
        and source.label in {" ".join(value.split()) for value in values}
    )
