"""Formulas and programs say the same: what a page derives is what its programs did.

While a program runs, it is kept what its rules are given and give, and what its
functions have by name when they return. The maps and the gradients that the page
states are evaluated at these values, name for name, and must give what is there: a
value of that name, or what the function returned.

In a program, the gradient of ``x`` is ``x_bar``, ``downstream_x`` or ``upstream_x``;
what a formula calls ``w_1`` may be in a list ``w``; ``lambda`` is ``lambda_``. A
function of one input may have it by another name: a program squares ``x``, and the
page says ``w = u^2``.

A formula that agrees with no program of its page fails, unless it says so:
``% unchecked: why``, or ``<!-- unchecked: LATEX -->`` in running text. A rule that
agrees with no formula of a page that has some is unchecked.
"""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from ..finding import Finding
from ..formulas import evaluate
from ..formulas.evaluate import Rule as Formula
from ..page import Page
from ..results import Results
from .case import compared
from .programs import Site, shown, sites


def check(pages: list[Page], root: Path) -> list[Finding]:
    """What agrees, and what does not; without a record of a program, nothing does."""
    known = Results(root)
    found: list[Finding] = []
    for page in pages:
        names = shown(page)
        programs = {name: program for name in names if (program := known.program(name))}
        for name in (name for name in names if name not in programs):
            how = "what it did is not on record; run: python -m truth"
            where = f"{page.label}:1"
            found.append(Finding("agreement", "failed", page.label, where, name, how))
        found += _findings(page, sites(programs))
    return found


def _findings(page: Page, sites: list[Site]) -> Iterator[Finding]:
    formulas = evaluate.rules(page) if sites else []
    groups: dict[object, list[Formula]] = defaultdict(list)
    for formula in formulas:
        groups[formula.section].append(formula)
    agree: dict[Formula, list[Site]] = defaultdict(list)
    itself: set[Formula] = set()
    differ: dict[Formula, str] = {}
    refuted: dict[Formula, set[str]] = defaultdict(set)
    for site in sites:
        for group in groups.values():
            same, through, refutes, other = compared(group, site)
            for formula in same | through:
                agree[formula].append(site)
            itself |= same
            for formula in refutes:
                refuted[formula].add(site.name)
            for formula, how in other.items():
                differ.setdefault(formula, f"{site.where}: {how}")
    # What only others need may be any, until a program of theirs has it by name.
    for formula in refuted.keys() - itself:
        if not refuted[formula].isdisjoint(each.name for each in agree[formula]):
            agree[formula].clear()
    said = {each.said: each for each in formulas if agree[each]}
    marked = {each.said for each in formulas if each.is_unchecked}
    some = {each.start for each in formulas if not agree[each]}
    for formula in dict.fromkeys(formulas):
        cases = sum(len(each.calls) for each in agree[formula])
        names = ", ".join(dict.fromkeys(each.name for each in agree[formula]))
        how = differ.get(formula, "no program of the page has its names")
        state = "unchecked" if formula.said in marked else "failed"
        if "% unchecked" in formula.tex and formula.start not in some:
            how = f"agrees with {names}: it is not unchecked"
            state = "failed"
        elif cases:
            state, how = "compared", f"agrees with {names}"
        elif formula.said in said:
            state, how = "compared", f"as in line {said[formula.said].line}"
        where = f"{page.label}:{formula.line}"
        yield Finding(
            "agreement", state, page.label, where, formula.tex, how, cases=cases
        )
    agreeing = {site for some in agree.values() for site in some}
    for site in sites if formulas else ():
        if site.what and site not in agreeing:
            how = "no formula of the page has its names"
            how = how if site.calls else "no small call outside of graphs"
            what = f"{site.what} of {site.name}"
            yield Finding("agreement", "unchecked", page.label, site.where, what, how)
