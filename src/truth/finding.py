"""What a check says of one thing on a page."""

from dataclasses import dataclass

KINDS = ("formula", "inline formula", "rule", "error", "number", "name", "quote")
STATES = ("checked", "premise", "definition", "failed")


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    ``checked`` is proven by something that does not come from it; a
    ``premise`` binds what is checked; a ``definition`` is marked as one and
    proves nothing; ``failed`` does not hold, or could not be read.
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
    weak: bool = False
    """Whether a number would pass with another digit, too."""
    wrong_on_purpose: bool = False
    """Whether it is a rule that shall not hold, and does not."""

    def __str__(self) -> str:
        return f"{self.where}: {self.what}: {self.how}"
