"""The page of the site that lists custom gradients found in public code."""

import csv
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from ..project import ROOT

TRIED = Path(__file__).with_name("tried.csv")
REPORTS = Path(__file__).with_name("reports.md")
PAGE = ROOT / "docs/public_code.md"
DAY = "25 November 2026"
"""When all of them were run, in one session."""

RIGHT, OTHER, DIGITS = "right", "deliberately different", "loses digits"
WRONG, RAISES, LEFT = "wrong", "raises", "not run"
MEANINGS = {
    RIGHT: "The gradient is the derivative. If finite differences determined only some"
    " of the derivatives, [the table of all functions](#all-functions) has their number.",
    OTHER: "The gradient is a surrogate, or it scales, clips or reverses the upstream"
    " gradient. It was compared with what its name or its documentation states.",
    DIGITS: "The formula is right, but for some inputs, a difference of nearly equal"
    " numbers or an underflow loses digits.",
    WRONG: "For some inputs that the function accepts, the gradient has wrong values or"
    " the wrong shape.",
    RAISES: "The backward pass raises an error.",
    LEFT: "The function needs compiled operations or packages that don't run here, or"
    " the check took too long.",
}
"""Each verdict, from the best to the worst."""
FAULTS = WRONG, RAISES


class Tried(NamedTuple):
    """A row of the data."""

    function: str
    repository: str
    path: str
    line: str
    revision: str
    """Of the repository: a commit, or the tag of a release."""
    verdict: str
    kind: str
    """Of its fault, or of the other gradient; empty if it is right."""
    report: str
    """The anchor of its report; empty without one."""
    remark: str

    @property
    def link(self) -> str:
        line = f"#L{self.line}" if self.line else ""
        return (
            f"https://github.com/{self.repository}/blob/{self.revision}/"
            f"{self.path}{line}"
        )

    @property
    def row(self) -> tuple[str, ...]:
        verdict = self.verdict
        if self.report:
            verdict = f"[{verdict}](#{self.report})"
        said = "; ".join(each for each in (self.kind, self.remark) if each)
        name = f"[`{self.function}`]({self.link})"
        return name, self.repository, verdict, said


def tried() -> list[Tried]:
    with TRIED.open(encoding="utf-8", newline="") as file:
        return [Tried(**row) for row in csv.DictReader(file)]


def page(rows: list[Tried]) -> str:
    """The page; all of its counts come from ``rows``."""
    count = Counter(each.verdict for each in rows)
    ran = [each for each in rows if each.verdict != LEFT]
    at_fault = [each for each in ran if each.verdict in FAULTS]
    return _PAGE.format(
        day=DAY,
        all=len(rows),
        repositories=len({each.repository for each in rows}),
        ran=len(ran),
        ran_in=len({each.repository for each in ran}),
        right=count[RIGHT],
        other=count[OTHER],
        digits=count[DIGITS],
        at_fault=len(at_fault),
        wrong=count[WRONG],
        raises=count[RAISES],
        at_fault_in=len({each.repository for each in at_fault}),
        share=_share(len(at_fault), len(ran)),
        verdicts=_table(
            ("Verdict", "Functions", "Share of those that ran", "Meaning"),
            (
                (
                    verdict,
                    str(count[verdict]),
                    "" if verdict == LEFT else _share(count[verdict], len(ran)),
                    meaning,
                )
                for verdict, meaning in MEANINGS.items()
            ),
        ),
        faults=_table(
            ("Fault", "Functions", "Where"),
            (
                (
                    kind,
                    str(number),
                    ", ".join(
                        f"[`{each.function}`](#{each.report})"
                        for each in at_fault
                        if each.kind == kind
                    ),
                )
                for kind, number in Counter(
                    each.kind for each in at_fault
                ).most_common()
            ),
        ),
        table=_table(
            ("Function", "Repository", "Verdict", "Kind, and a remark"),
            (each.row for each in rows),
        ),
        reports=REPORTS.read_text("utf-8").strip(),
    )


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.0%}"


def _table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [header, ("---",) * len(header), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


_PAGE = """\
---
description: >-
  How often is a custom gradient in public TensorFlow code wrong, and which mistakes
  occur? What the checker of this site found, with a report on each fault.
---

# Custom gradients in public code {{ #public-code }}

How far can you trust a custom gradient that somebody published? `vjpcheck`, [the checker of
this site](guide/test_in_ci.md), was tried on {all} of them, from {repositories} public
repositories. On {day}, {ran} of them ran. Of these, {at_fault} are at fault ({share}): {wrong}
are wrong, and {raises} raise an error.

## In short {{ #in-short }}

- {right} gradients are right, {other} are deliberately different from the derivative, and
  {digits} more lose digits for some inputs.
- The functions at fault are in {at_fault_in} of the {ran_in} repositories whose functions ran.
  Each has [a report](#reports), and a table lists them by [kind of fault](#verdicts).
- The functions aren't a random sample, so the shares [don't hold for all public
  code](#how-they-were-found).

## Verdicts {{ #verdicts }}

Each function has one of these verdicts:

{verdicts}

What goes wrong? Each name links to the report on the function:

{faults}

## How the functions were found, and the bias {{ #how-they-were-found }}

The functions come from a search for `custom_gradient` in stored snapshots of public
repositories. TensorFlow, Keras, and projects that are known for their custom gradients, such as
TensorFlow Probability, were looked up by name. The others are the first search results, or have
a name that contains a topic such as gradient reversal.

So maintained libraries are overrepresented, and the share of faults may be higher in code that
nobody maintains. So are functions with an obvious derivative, such as straight-through
estimators, because they are short and popular. Functions that need a GPU, a compiled extension
or a cluster didn't run, and are missing from the shares.

The functions ran unchanged, in TensorFlow 2.21 on a CPU, with inputs that their documentation
allows. (If a module needs packages that aren't available, only its functions were copied, with
substitutes for what they call.) `check_custom_gradient` compared each gradient with finite
differences or, if it is meant to be different, with the gradient that it is meant to have. Each
fault was then derived by hand or found in the code, and reproduced eagerly without the checker.
It counts only if it concerns inputs that the function claims to support. A missing second
derivative doesn't count.

## What the checker missed {{ #missed }}

- **A second backward pass.** `vjpcheck` repeated the backward pass only with a new forward
  pass. `check_custom_gradient` now also computes the gradient twice from one forward pass.
- **State shared by two functions.** Between the two passes, `vjpcheck` called the same function
  again, but never a different function. It still doesn't.
- **A fault at a single point in float32.** At such a point, finite differences may not
  determine the derivative, and `vjpcheck` then reports that it is undecided.

`vjpcheck` accepts some right functions only with
[options](vjpcheck.md#check_custom_gradient): for example, one that clips needs `vjp`, a function
that returns the clipped gradient, and a solver with an absolute threshold needs `atol`.

## Reports {{ #reports }}

Each report names the function, the smallest input that shows the fault, the right
derivative, and a fix, so you can send it to the maintainers as it is. Unless a report says
otherwise, `vjpcheck` rejected the gradient.

{reports}

## All functions {{ #all-functions }}

In the order of the repositories' names:

<div class="filter"></div>

{table}
"""
