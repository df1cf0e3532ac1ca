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
    """Of the program, if there is one."""

    def __str__(self) -> str:
        return f"{self.location}: {self.message}"


@dataclass
class CheckReport:
    """The results of a check, by the names of programs."""

    problems: list[Problem] = field(default_factory=list)
    notes: list[Problem] = field(default_factory=list)
    """Records that ``update`` rewrote, with their diffs."""
    outputs: dict[str, str] = field(default_factory=dict)
    observed: dict[str, Any] = field(default_factory=dict)
    """Results of the observer, or None without one."""
    digests: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Digests of the program that ran, and of the output that it was compared with."""
    ran: int = 0
    remembered: int = 0
    """Programs with an earlier run."""
    variants: int = 0
    """Variants of programs that plugins ran."""
    plugins: dict[str, Any] = field(default_factory=dict)
    """Results of plugins."""

    def problem(self, location: str, message: str, name: str = "") -> None:
        self.problems.append(Problem(location, excerpt(message), name))

    def note(self, location: str, message: str, name: str = "") -> None:
        self.notes.append(Problem(location, excerpt(message), name))
