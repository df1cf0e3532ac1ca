"""What a check says of one thing on a page."""

from dataclasses import dataclass

from tracebook.output import excerpt

KINDS = (
    "formula",
    "inline formula",
    "rule",
    "claim",
    "number",
    "mode",
    "error",
    "quote",
    "structure",
    "agreement",
)
HOLDS = ("proven", "tried", "compared", "tied")
"""What was checked, by the strength of what was done."""
STATES = (*HOLDS, "given", "definition", "unchecked", "not run", "failed")


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    ``proven`` follows, in all cases, from what is given; ``tried`` held in every
    case that was looked for to refute it; ``compared`` is the same as what it
    speaks of; ``tied`` stands in what proves it. What is ``given`` binds what is
    checked; a ``definition`` is marked as one and proves nothing; of what is
    ``unchecked`` nothing is known; what is ``not run`` waits for its turn here;
    ``failed`` does not hold, or was not read.
    """

    kind: str
    state: str
    page: str
    """Path of the page below the project's root; it owns the finding."""
    where: str
    """``FILE:LINE``, for messages."""
    what: str
    """The thing itself, on one line."""
    how: str = ""
    """What proves it, or why it fails."""
    evidence: str = ""
    """Path or name of the thing that proves it, where it is one."""
    cases: int = 0
    """In how many cases it was tried."""
    wrong_on_purpose: bool = False
    """Whether it is a rule that shall not hold, and does not."""
    name: str = ""
    """The id of a claim."""
    calls: str = ""
    """Some of what a rule was given and gave while its program ran, as JSON."""

    @property
    def holds(self) -> bool:
        """Whether it was checked, and found right."""
        return self.state in HOLDS

    def __str__(self) -> str:
        return f"{self.where}: {excerpt(self.what)}: {excerpt(self.how)}"
