"""The formulas of a page, read, and in the sections that share what is stated."""

from collections.abc import Iterator

from algebra.latex import Refusal, marks, parse
from algebra.meaning import Scope

from ..page import Formula, Page
from .section import Reading, Section

_MARKS = {"premise", "definition", "unchecked"}


def sections(
    page: Page,
    scope: Scope,
    reads: list[Reading] | None = None,
    used: set[int] | None = None,
) -> Iterator[Section]:
    """The formulas from one heading, or one ``% premise``, to the next: they share
    what is stated. Not judged; each is read when the one before may have been."""
    reads = [read(formula) for formula in page.formulas] if reads is None else reads
    starts = [start for start, _, _ in page.headings]
    parts: list[tuple[bool, list[Reading]]] = [(True, [])]
    for each in reads:
        if starts and starts[0] < each.formula.start:
            starts = [start for start in starts if start > each.formula.start]
            parts.append((True, []))
        if "premise" in each.marks:
            parts.append((False, []))
        parts[-1][1].append(each)
    for has_heading, part in parts:
        scope = scope.within(keeps_values=not has_heading)
        section = Section(scope, part, set() if used is None else used, page)
        section.note()
        yield section


def read(formula: Formula) -> Reading:
    words = [mark.partition(":")[0].strip() for mark in marks(formula.text)]
    found = Reading(formula, [], words)
    if unknown := set(words) - _MARKS:
        found.fail(f"unknown mark: {', '.join(sorted(unknown))}", 0)
    elif "definition" not in words:
        try:
            found.statements = parse(formula.text, alone=not formula.display)
        except Refusal as error:
            if formula.display:
                found.fail(str(error), error.position)
            found.doubts[0] = error
    return found


def is_unchecked(page: Page, read: Reading) -> bool:
    """Whether a formula is named as such; in running text by a comment below it."""
    said = ";".join(page.directive_values("unchecked", read.formula.start)).split(";")
    return "unchecked" in read.marks or (
        not read.formula.display
        and read.formula.shown in {" ".join(each.split()) for each in said}
    )
