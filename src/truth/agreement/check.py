"""The check that the formulas of a page agree with its programs.

While a program runs, the values of its custom gradients are recorded, and the local
values of its functions when they return. The maps and the gradients of the page are
evaluated at these values, name for name, and must give a recorded value: that of the
same name, or the result of the function.

In a program, the gradient of ``x`` is ``x_bar``, ``downstream_x`` or ``upstream_x``;
``w_1`` of a formula may be in a list ``w``; ``lambda`` is ``lambda_``. A function of
one input may have it by another name: a program squares ``x``, and the page states
``w = u^2``.

A formula that agrees with no program of its page fails, unless it is marked:
``% unchecked: why``, or ``<!-- unchecked: LATEX -->`` in running text. If a page has
formulas, a custom gradient that agrees with none of them is unchecked.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..finding import Finding
from ..formulas.equations import Equation, equations
from ..page import Page
from ..results import ProgramResult, Results
from .comparison import compare
from .recordings import RecordedFunction, program_names, recorded_functions

_KIND = "agreement"


def check(page: Page) -> list[Finding]:
    """Return the findings on a page, which fails without a record of its programs."""
    results = Results(page.root).programs(page)
    programs: dict[str, ProgramResult] = {}
    findings: list[Finding] = []
    for name in program_names(page):
        if result := results.get(name):
            programs[name] = result
        else:
            detail = "what it did is not on record; run: python -m truth"
            findings.append(Finding(_KIND, "failed", f"{page.label}:1", name, detail))
    recorded = recorded_functions(programs, page.settings.snippets)
    return [*findings, *_page_findings(page, recorded)]


@dataclass
class _Agreement:
    """The comparisons of one equation with the recordings of its page."""

    recordings: list[RecordedFunction] = field(default_factory=list)
    """The recordings with which it agrees."""
    is_direct: bool = False
    """True if it was compared itself, and not only as a step of another equation."""
    contradicting: set[str] = field(default_factory=set)
    """Programs that have another value by its name."""
    difference: str = ""


def _page_findings(page: Page, recorded: list[RecordedFunction]) -> Iterator[Finding]:
    agreements = _agreements(equations(page) if recorded else [], recorded)
    agreeing = {e.content: e for e, a in agreements.items() if a.recordings}
    marked = {equation.content for equation in agreements if equation.is_unchecked}
    # A formula may state several equations; its mark is for those that do not agree.
    open_formulas = {e.start for e, a in agreements.items() if not a.recordings}
    for equation, agreement in agreements.items():
        programs = dict.fromkeys(each.program for each in agreement.recordings)
        agrees = f"agrees with {', '.join(programs)}"
        cases = sum(len(each.calls) for each in agreement.recordings)
        state = "unchecked" if equation.content in marked else "failed"
        detail = agreement.difference or "no program of the page has its names"
        if "% unchecked" in equation.tex and equation.start not in open_formulas:
            state, detail = "failed", f"{agrees}: it is not unchecked"
        elif cases:
            state, detail = "compared", agrees
        elif twin := agreeing.get(equation.content):
            state, detail = "compared", f"as in line {twin.line}"
        location = f"{page.label}:{equation.line}"
        yield Finding(_KIND, state, location, equation.tex, detail, cases=cases)
    used = {recording for a in agreements.values() for recording in a.recordings}
    for recording in recorded if agreements else ():
        if recording.rule and recording not in used:
            detail = "no formula of the page has its names"
            if not recording.calls:
                detail = "no small call outside of graphs"
            text = f"{recording.rule} of {recording.program}"
            yield Finding(_KIND, "unchecked", recording.location, text, detail)


def _agreements(
    stated: list[Equation], recorded: list[RecordedFunction]
) -> dict[Equation, _Agreement]:
    agreements = {equation: _Agreement() for equation in stated}
    groups: dict[object, list[Equation]] = defaultdict(list)
    for equation in stated:
        groups[equation.section].append(equation)
    for recording in recorded:
        for group in groups.values():
            comparison = compare(group, recording)
            for equation in comparison.agreeing | comparison.steps:
                agreements[equation].recordings.append(recording)
            for equation in comparison.agreeing:
                agreements[equation].is_direct = True
            for equation in comparison.contradicted:
                agreements[equation].contradicting.add(recording.program)
            for equation, difference in comparison.differences.items():
                agreement = agreements[equation]
                agreement.difference = (
                    agreement.difference or f"{recording.location}: {difference}"
                )
    for agreement in agreements.values():
        # A step may have any value, unless a program that needs it has another.
        programs = {recording.program for recording in agreement.recordings}
        if not agreement.is_direct and programs & agreement.contradicting:
            agreement.recordings.clear()
    return agreements
