"""What a text includes: the one reader of pymdownx's ``--8<--`` lines."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

# What pymdownx.snippets might take for an include, and the one form to write it.
_MARK = re.compile(r"^[^\S\n]*-+8<-+.*$", re.MULTILINE)
_INCLUDE = re.compile(
    r'\s*-+8<-+ "(?P<name>[^"\s:;]+)'
    r'(:(?P<selection>[A-Za-z][\w-]*|[0-9]*(:[0-9]*)?))?"'
)


@dataclass(frozen=True)
class Include:
    """One ``--8<--`` on one line; without a name if it is malformed."""

    start: int
    """Offset of the line."""
    line: int
    """Number of the line, from 1."""
    name: str = ""
    """Path below the snippets folder."""
    selection: str = ""
    """A section's name, or a range of lines."""

    @property
    def is_section(self) -> bool:
        return self.selection[:1].isalpha()


def find(text: str) -> Iterator[Include]:
    """Everything that a text includes, in the order of its lines."""
    for mark in _MARK.finditer(text):
        found = _INCLUDE.fullmatch(mark[0])
        line = text.count("\n", 0, mark.start()) + 1
        yield Include(mark.start(), line, **(found.groupdict("") if found else {}))
