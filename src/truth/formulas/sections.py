"""The formulas of a page in sections, which share their premises."""

from collections.abc import Iterator

from algebra.scope import Scope

from ..page import Page
from .checked_formula import CheckedFormula, read
from .section import Section


def sections(
    page: Page,
    scope: Scope,
    formulas: list[CheckedFormula] | None = None,
    used: set[int] | None = None,
) -> Iterator[Section]:
    """Return the sections of a page, from one heading or ``% premise`` to the next.

    A section begins with the scope of the one before. So if sections are checked, each
    must be checked before the next one is taken.

    Args:
        page: the page.
        scope: at its beginning.
        formulas: those of the page; by default they are read.
        used: places of premises, for ``Section``.
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
