"""What a text includes, and what readers see of it: the one reader of ``--8<--``
lines.

Readers never see the lines of a program that only a tool reads: the borders of
sections, and the comments ``# tracebook: …`` and ``# truth: …``.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

# What might be taken for an include, and the one form to write it. pymdownx.snippets
# takes a line with a section's border anywhere in it for no line at all.
_MARK = re.compile(
    r"^(?:[^\S\n]*-+8<-+.*|.*(?<![;-])-+8<-+[ \t]+\[[ \t]*(?:start|end)[ \t]*:.*)$",
    re.MULTILINE | re.IGNORECASE,
)
_INCLUDE = re.compile(
    r'\s*-+8<-+ "(?P<name>[^"\s:;]+)'
    r'(:(?P<section>[A-Za-z][A-Za-z0-9_-]*))?"'
)
# What begins first holds the rest: what looks like a comment in code is code.
_COMMENT = re.compile(
    r"^[ \t]*(?P<fence>`{3,}|~{3,}).*?^[ \t]*(?P=fence)[ \t]*$"
    r"|(?P<ticks>`+)(?!`)[^\n]*?(?<!`)(?P=ticks)(?!`)|(?P<comment><!--.*?-->)",
    re.MULTILINE | re.DOTALL,
)
_BORDER = re.compile(r"\s*# -+8<-+ \[(start|end):([A-Za-z][A-Za-z0-9_-]*)\]")
_FENCE_END = re.compile(r"(?:`{3,}|~{3,})[ \t]*")
_HIDDEN = re.compile(rf"{_BORDER.pattern}|\s*#\s*(?:tracebook|truth):.*")


@dataclass(frozen=True)
class Include:
    """One ``--8<--`` on one line; without a name if it is malformed."""

    start: int
    """Offset of the line."""
    line: int
    """Number of the line, from 1."""
    name: str = ""
    """Path below the snippets folder."""
    section: str = ""
    """The name of a section of the file, or nothing for the whole file."""

    def lines(self, text: str) -> list[str] | None:
        """The lines that readers see of the included file; None if the file has no
        such part."""
        lines = text.removesuffix("\n").split("\n")
        part = _selected(lines, self.section)
        if part is None:
            return None
        is_program = self.name.endswith(".py")
        return [lines[n] for n in (_seen(lines, part) if is_program else part)]


def find(text: str) -> Iterator[Include]:
    """Everything that a text includes and shows, in the order of its lines."""
    shown = _COMMENT.sub(
        lambda m: re.sub(r"[^\n]", " ", m[0]) if m["comment"] else m[0], text
    )
    for mark in _MARK.finditer(shown):
        found = _INCLUDE.fullmatch(mark[0])
        line = text.count("\n", 0, mark.start()) + 1
        yield Include(mark.start(), line, **(found.groupdict("") if found else {}))


def visible_lines(program: str) -> list[int]:
    """The numbers, from 1, of the lines of a program that readers see."""
    lines = program.removesuffix("\n").split("\n")
    return [n + 1 for n in _seen(lines, range(len(lines)))]


def visible(program: str) -> str:
    """A program as readers see, copy and run it."""
    lines = program.removesuffix("\n").split("\n")
    end = "\n" if program.endswith("\n") else ""
    return "\n".join(lines[n - 1] for n in visible_lines(program)) + end


def read(path: Path) -> str:
    """A program or a trace as readers see it."""
    text = path.read_text("utf-8")
    return visible(text) if path.suffix == ".py" else text


def misread(program: str) -> int | None:
    """The first line of a text that some page would take for an include, or for the
    end of the fence in which it stands.

    Only the borders of sections, on lines of their own, are meant to be obeyed.
    """
    for number, line in enumerate(program.split("\n"), 1):
        is_include = "-8<-" in line and not _BORDER.fullmatch(line)
        if is_include or _FENCE_END.fullmatch(line):
            return number
    return None


def _seen(lines: list[str], part: Iterable[int]) -> list[int]:
    """The lines of a part that readers see. Where a line is hidden, the longer of the
    two gaps beside it is left, and at either end none."""
    found: list[int] = []
    gap: int | None = None
    """How many empty lines above the last hidden line may stand for those below it."""
    for n in part:
        if _HIDDEN.fullmatch(lines[n]):
            if (gap := _empty_at_end(lines, found)) == len(found):
                found.clear()
        elif lines[n].strip():
            found.append(n)
            gap = None
        elif gap is None or (found and not gap):
            found.append(n)
        else:
            gap = max(0, gap - 1)
    if gap is not None:
        del found[len(found) - _empty_at_end(lines, found) :]
    return found


def _empty_at_end(lines: list[str], found: list[int]) -> int:
    count = 0
    while count < len(found) and not lines[found[-1 - count]].strip():
        count += 1
    return count


def _selected(lines: list[str], section: str) -> range | None:
    """Return the lines of a section, of all the text for no name, or None if there is
    no such section."""
    if not section:
        return range(len(lines))
    borders = [
        (border[1], number)
        for number, line in enumerate(lines)
        if (border := _BORDER.fullmatch(line)) and border[2] == section
    ]
    if [kind for kind, _ in borders] != ["start", "end"]:
        return None
    return range(borders[0][1] + 1, borders[1][1])
