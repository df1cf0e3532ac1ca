"""Whether the formulas of a page hold: each is a premise, is proven, or fails.

A section's first ``symbol = …`` is a **premise**; later sections know it until they
state another. Every other relation is a **claim**: its sides are written in the
inputs, differentiated by SymPy, and compared to 30 digits at points that fulfill the
conditions stated on the page, for arrays of two sizes. A premise from which nothing
follows is refused, so that a change of it breaks something.

A comment in a displayed formula declares what cannot be seen:
``% premise`` its symbols are stated anew from here on;
``% definition`` it says what something is called, and is not checked.
"""

from pathlib import Path

from algebra.meaning import Scope
from algebra.nodes import Domain
from algebra.tree import symbols

from ..finding import Finding
from ..page import Page
from .running import RunningText
from .section import Reading
from .sections import read as reading
from .sections import sections


def check(pages: list[Page], root: Path) -> list[Finding]:
    """What holds of every formula; displayed ones that are not read fail."""
    return [finding for page in pages for finding in check_page(page)]


def check_page(page: Page) -> list[Finding]:
    """What holds of the formulas of one page."""
    reads = [reading(formula) for formula in page.formulas]
    used: set[int] = set()
    sizes = {letter: n + 2 for n, letter in enumerate(_letters(reads))}
    found = []
    for section in sections(page, Scope(letters=sizes), reads, used):
        section.judge()
        found.append(section)
    if sizes:
        # 2 and 3 change places, 4 and 5, …: what is even becomes odd.
        others = {letter: size ^ 1 for letter, size in sizes.items()}
        again = [reading(formula) for formula in page.formulas]
        for section in sections(page, Scope(letters=others), again, used):
            section.judge()
        for one, other in zip(reads, again):
            one.agree(other)
    running = RunningText(page, found, used)
    findings = [_finding(page, each, used, running) for each in reads]
    return [finding for finding in findings if finding]


def _letters(reads: list[Reading]) -> list[str]:
    """What counts elements on a page, that of squares first, for they are inverted;
    and the indices, for what has no domain."""
    found: dict[str, bool] = {}
    indices = set()
    for statement in (each for read in reads for each in read.statements):
        if isinstance(domain := statement.sides[-1], Domain):
            sizes = domain.sizes
            for size in sizes:
                if not size.isdigit():
                    found[size] = found.get(size) or sizes.count(size) > 1
        for symbol in symbols(statement):
            indices |= {f"_{letter}" for letter, _ in symbol.indices if letter}
    return [*sorted(found, key=lambda letter: not found[letter]), *sorted(indices)]


def _finding(
    page: Page, read: Reading, used: set[int], running: RunningText
) -> Finding | None:
    formula = read.formula
    position, evidence = 0, ""
    unused = [
        statement.position
        for number, statement in enumerate(read.statements)
        if number in read.premises
        and read.premises[number] is not None
        and formula.start + statement.position not in used
    ]
    if read.failure:
        state, (how, position) = "failed", read.failure
    elif "definition" in read.marks:
        state, how = "definition", "marked by its writer"
    elif not formula.display:
        verdict = running.verdict(read)
        if verdict is None:
            return None
        state, how, evidence = verdict
    elif not read.statements:
        return None
    elif unused and not read.given:
        state, position = "failed", unused[0]
        how = "a premise from which nothing follows that is checked"
    elif read.only_domains and not read.proven:
        state, how = "given", "says where its symbols live"
    elif not read.proven:
        state, how = "given", "what is checked follows from it"
    else:
        state, how = "proven", "SymPy"
    cases = 0
    if state == "proven" and read.tried:
        state, how, cases = "tried", "SymPy, at points all around", read.tried
    return Finding(
        "formula" if formula.display else "inline formula",
        state,
        page.label,
        f"{page.label}:{page.line(formula.start + position)}",
        formula.shown,
        how,
        evidence,
        cases,
    )
