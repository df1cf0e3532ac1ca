"""The report of a check."""

from dataclasses import dataclass, field
from typing import Any

from .output import excerpt


@dataclass(frozen=True)
class Problem:
    """Something that is wrong, and its location."""

    location: str
    """A file and mostly a line: ``snippets/x.out:2``."""
    message: str
    name: str = ""
    """The name of the program that is concerned, if one is."""

    def __str__(self) -> str:
        return f"{self.location}: {self.message}"


@dataclass
class Report:
    """The results of a check, by the names of programs."""

    problems: list[Problem] = field(default_factory=list)
    notes: list[Problem] = field(default_factory=list)
    """Outputs that ``update`` rewrote, with their diffs."""
    outputs: dict[str, str] = field(default_factory=dict)
    """What each program printed."""
    observed: dict[str, Any] = field(default_factory=dict)
    """Results of the observer, if there is one."""
    digests: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Digests of the program that ran, and of the output that it was compared with. A
    result that is kept under these is never taken for one of edited files."""
    ran: int = 0
    remembered: int = 0
    """Programs of which an earlier run was taken."""
    variants: int = 0
    """Variants of programs that plugins ran."""
    plugins: dict[str, Any] = field(default_factory=dict)
    """Results of plugins."""

    def problem(self, location: str, message: str, name: str = "") -> None:
        """Add a problem."""
        self.problems.append(Problem(location, excerpt(message), name))

    def note(self, location: str, message: str, name: str = "") -> None:
        """Add a note."""
        self.notes.append(Problem(location, excerpt(message), name))
