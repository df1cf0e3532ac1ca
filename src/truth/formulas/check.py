"""The check of the formulas of a page: each is a premise, follows from them, or fails.

A section's first ``symbol = …`` is a **premise**, which holds in later sections until
they state another. Every other relation is a **claim**: its sides are written in the
inputs, differentiated by SymPy, and compared to 30 digits at points that meet the
conditions stated on the page, for arrays of two sizes. A premise from which nothing
follows that is checked fails, so that a change of any premise breaks something.

Two comments in a displayed formula tell the check how to treat it:
``% premise`` its symbols are defined anew from here on;
``% definition`` it only gives a name to something, and is not checked.
"""

from algebra.nodes import Space
from algebra.scope import Scope
from algebra.tree import symbols

from ..finding import Finding
from ..page import Page
from .checked_formula import CheckedFormula, read
from .inline import InlineFormulas, Verdict
from .section import sections


def check_page(page: Page) -> list[Finding]:
    """Return the findings on the formulas of one page."""
    formulas = [read(formula) for formula in page.formulas]
    used: set[int] = set()
    sizes = {letter: number + 2 for number, letter in enumerate(_letters(formulas))}
    checked = []
    for section in sections(page, Scope(dimensions=sizes), formulas, used):
        section.check()
        checked.append(section)
    if sizes:
        # 2 and 3 change places, 4 and 5, …, so that even sizes become odd.
        other_sizes = {letter: size ^ 1 for letter, size in sizes.items()}
        repeated = [read(formula) for formula in page.formulas]
        for section in sections(page, Scope(dimensions=other_sizes), repeated, used):
            section.check()
        for formula, repetition in zip(formulas, repeated):
            formula.merge(repetition)
    inline = InlineFormulas(page, checked, used)
    findings = (_finding(page, formula, used, inline) for formula in formulas)
    return [finding for finding in findings if finding]


def _letters(formulas: list[CheckedFormula]) -> list[str]:
    """Return the letters that count elements, and ``_`` with each index letter.

    Sizes of square matrices come first, and get the smallest numbers, because SymPy may
    have to invert them. An index letter gives a size to arrays without a space.
    """
    is_square: dict[str, bool] = {}
    indices = set()
    for statement in (s for formula in formulas for s in formula.statements):
        if isinstance(space := statement.sides[-1], Space):
            for size in space.sizes:
                if not size.isdigit():
                    is_square[size] = is_square.get(size) or space.sizes.count(size) > 1
        for symbol in symbols(statement):
            indices |= {f"_{index.letter}" for index in symbol.indices if index.letter}
    return [*sorted(is_square, key=lambda size: not is_square[size]), *sorted(indices)]


def _finding(
    page: Page, formula: CheckedFormula, used: set[int], inline: InlineFormulas
) -> Finding | None:
    source = formula.source
    position = 0
    verdict: Verdict | None
    if formula.failure:
        reason, position = formula.failure
        verdict = "failed", reason
    elif "definition" in formula.marks:
        verdict = "definition", "marked by its writer"
    elif not source.display:
        verdict = inline.verdict(formula)
    elif (place := _unused_premise(formula, used)) is not None:
        position = place - source.start
        verdict = "failed", "a premise from which nothing follows that is checked"
    else:
        verdict = _displayed_verdict(formula)
    if verdict is None:
        return None
    state, detail = verdict
    cases = 0
    if state == "compared" and formula.cases:
        state, detail = "tried", "by SymPy, at points all around"
        cases = formula.cases
    return Finding(
        "formula" if source.display else "inline formula",
        state,
        page.location(source.start + position),
        source.label,
        detail,
        cases=cases,
    )


def _unused_premise(formula: CheckedFormula, used: set[int]) -> int | None:
    """Return the place of the first premise that no proof needed."""
    if formula.gives_value:
        return None
    for number, statement in enumerate(formula.statements):
        place = formula.place(statement)
        if formula.premises.get(number) is not None and place not in used:
            return place
    return None


def _displayed_verdict(formula: CheckedFormula) -> Verdict | None:
    if not formula.statements:
        return None
    if formula.derived:
        return "compared", "with what follows from the premises, by SymPy"
    if formula.states_only_domains:
        return "given", "says where its symbols live"
    return "given", "what is checked follows from it"
