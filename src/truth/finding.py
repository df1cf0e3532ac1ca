"""The result of one check of one thing on a page."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from tracebook.output import excerpt

KINDS = (
    "formula",
    "inline formula",
    "custom gradient",
    "claim",
    "number",
    "error",
    "structure",
    "agreement",
)
PASSED = ("compared", "tried", "tied")
"""The states of what was checked and passed, the strongest first."""
STATES = (*PASSED, "given", "definition", "unchecked", "not run", "failed")


@dataclass(frozen=True)
class Finding:
    """The result for one formula, claim, number, quote or custom gradient.

    ``compared`` equals its evidence, a formula what follows from what is ``given``, at
    chosen points; ``tried`` passed a search for a counterexample; the numbers of
    ``tied`` are in an output; ``unchecked`` is not decided; ``not run`` waits for its
    day here.
    """

    kind: str
    state: str
    location: str
    """``FILE:LINE``, for messages."""
    text: str
    """The formula, the number, the sentence, …, on one line."""
    detail: str = ""
    """The evidence, or the reason of the failure."""
    cases: int = 0
    """The number of cases that were tried."""
    name: str = ""
    """The id of a claim."""
    test: str = ""
    """``FILE:LINE`` of the test of a claim."""

    @property
    def passed(self) -> bool:
        """Return whether it was checked and passed."""
        return self.state in PASSED

    def __str__(self) -> str:
        return f"{self.location}: {excerpt(self.text)}: {excerpt(self.detail)}"


def count(findings: Iterable[Finding]) -> dict[str, Counter[str]]:
    """Count the findings of each kind by their state."""
    counts: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
    for finding in findings:
        counts[finding.kind][finding.state] += 1
    return counts


def passed(counts: Counter[str]) -> int:
    """Count the findings that were checked and passed."""
    return sum(counts[state] for state in PASSED)
