"""What a text includes: the one reader of pymdownx's ``--8<--`` lines."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

# What pymdownx.snippets might take for an include, and the one form to write it.
# It takes a line with a section's border anywhere in it for no line at all.
_MARK = re.compile(
    r"^(?:[^\S\n]*-+8<-+.*|.*(?<![;-])-+8<-+[ \t]+\[[ \t]*(?:start|end)[ \t]*:.*)$",
    re.MULTILINE | re.IGNORECASE,
)
_INCLUDE = re.compile(
    r'\s*-+8<-+ "(?P<name>[^"\s:;]+)'
    r'(:(?P<selection>[A-Za-z][A-Za-z0-9_-]*|[0-9]*(:[0-9]*)?))?"'
)
# What begins first holds the rest: what looks like a comment in code is code.
_COMMENT = re.compile(
    r"^[ \t]*(?P<fence>`{3,}|~{3,}).*?^[ \t]*(?P=fence)[ \t]*$"
    r"|(?P<ticks>`+)(?!`)[^\n]*?(?<!`)(?P=ticks)(?!`)|(?P<comment><!--.*?-->)",
    re.MULTILINE | re.DOTALL,
)
_BORDER = re.compile(r"\s*# -+8<-+ \[(start|end):([A-Za-z][A-Za-z0-9_-]*)\]")


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
    """Everything that a text includes and shows, in the order of its lines."""
    shown = _COMMENT.sub(
        lambda m: re.sub(r"[^\n]", " ", m[0]) if m["comment"] else m[0], text
    )
    for mark in _MARK.finditer(shown):
        found = _INCLUDE.fullmatch(mark[0])
        line = text.count("\n", 0, mark.start()) + 1
        yield Include(mark.start(), line, **(found.groupdict("") if found else {}))


def misread(program: str) -> int | None:
    """The first line of a program that pymdownx would not show as it is.

    Only the borders of sections, on lines of their own, are meant for it.
    """
    for number, line in enumerate(program.split("\n"), 1):
        if "-8<-" in line and not _BORDER.fullmatch(line):
            return number
    return None


def selected(text: str, selection: str) -> list[str] | None:
    """The lines that an include shows; None if the text has no such part."""
    lines = text.splitlines()
    borders = [_BORDER.fullmatch(line) for line in lines]
    first, last = 1, len(lines)
    if selection[:1].isalpha():
        own = [
            (found[1], number)
            for number, found in enumerate(borders, 1)
            if found and found[2] == selection
        ]
        if [kind for kind, _ in own] != ["start", "end"]:
            return None
        first, last = own[0][1], own[1][1]
    elif selection:
        start, _, end = selection.partition(":")
        first, last = int(start or 1), int(end or last)
        if not 1 <= first <= last <= len(lines):
            return None
    shown = range(first - 1, last)
    return [lines[n] for n in shown if not borders[n]]
