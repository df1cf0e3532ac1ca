"""The includes of a text, lines with ``--8<--``, and what readers see of a program.

Readers never see the lines that only a tool reads: the borders of sections, and the
comments ``# tracebook: …`` and ``# truth: …``.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

# Lines that some tool takes for an include, and the one form to write it.
# pymdownx.snippets drops a line with a section's border anywhere in it.
_MARK = re.compile(
    r"^(?:[^\S\n]*-+8<-+.*|.*(?<![;-])-+8<-+[ \t]+\[[ \t]*(?:start|end)[ \t]*:.*)$",
    re.MULTILINE | re.IGNORECASE,
)
_INCLUDE = re.compile(
    r'\s*-+8<-+ "(?P<name>[^"\s:;]+)(:(?P<section>[A-Za-z][A-Za-z0-9_-]*))?"'
)
# The first alternative that begins wins: a comment inside of code is code.
_COMMENT = re.compile(
    r"^[ \t]*(?P<fence>`{3,}+|~{3,}+).*?^[ \t]*(?P=fence)[ \t]*$"
    r"|(?<!`)(?P<ticks>`++)[^\n]*?(?<!`)(?P=ticks)(?!`)|(?P<comment><!--.*?-->)|<!--.*",
    re.MULTILINE | re.DOTALL,
)
_BORDER = re.compile(r"\s*# -+8<-+ \[(start|end):([A-Za-z][A-Za-z0-9_-]*)\]")
_FENCE_END = re.compile(r"(?:`{3,}|~{3,})[ \t]*")
_INVISIBLE = re.compile(r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_HIDDEN = re.compile(rf"{_BORDER.pattern}|\s*#\s*(?:tracebook|truth):.*")


@dataclass(frozen=True)
class Include:
    """One ``--8<--`` on one line; without a name if it is malformed."""

    start: int
    """Offset of the line."""
    line: int
    """Number of the line, from 1."""
    name: str = ""
    """Path below the folder of programs."""
    section: str = ""
    """A section of the file, or nothing for the whole file."""

    def lines(self, text: str) -> list[str] | None:
        """Return what readers see of the file, or None if it has no such section."""
        lines = text.removesuffix("\n").split("\n")
        part = _selected(lines, self.section)
        if part is not None and self.name.endswith(".py"):
            part = _visible(lines, part)
        return None if part is None else [lines[n] for n in part]


def find(text: str) -> Iterator[Include]:
    """Find the includes of a text outside of its comments."""
    uncommented = _COMMENT.sub(
        lambda m: re.sub(r"[^\n]", " ", m[0]) if m["comment"] else m[0], text
    )
    for mark in _MARK.finditer(uncommented):
        include = _INCLUDE.fullmatch(mark[0])
        line = text.count("\n", 0, mark.start()) + 1
        yield Include(mark.start(), line, **(include.groupdict("") if include else {}))


def visible_lines(program: str) -> list[int]:
    """Return the numbers, from 1, of the lines of a program that readers see."""
    lines = program.removesuffix("\n").split("\n")
    return [n + 1 for n in _visible(lines, range(len(lines)))]


def visible(program: str) -> str:
    """Return a program as readers see, copy and run it."""
    lines = program.removesuffix("\n").split("\n")
    end = "\n" if program.endswith("\n") else ""
    return "\n".join(lines[n - 1] for n in visible_lines(program)) + end


def read(path: Path) -> str:
    """Read a program or an output as readers see it."""
    text = path.read_text("utf-8")
    return visible(text) if path.suffix == ".py" else text


def misread(text: str) -> int | None:
    """Return the first line with an invisible character, or that a page would take for
    an include or for the end of its fence. Borders of sections are meant as such."""
    for number, line in enumerate(text.split("\n"), 1):
        is_include = "-8<-" in line and not _BORDER.fullmatch(line)
        if is_include or _FENCE_END.fullmatch(line) or _INVISIBLE.search(line):
            return number
    return None


def _visible(lines: list[str], part: Sequence[int]) -> list[int]:
    """Return the lines of a part that readers see. Of the gaps beside hidden lines the
    longest one remains, and none at either end."""
    hidden = {n for n in part if _HIDDEN.fullmatch(lines[n])}
    filled = {n for n in part if lines[n].strip()} - hidden
    result: list[int] = []
    for is_filled, group in groupby(part, filled.__contains__):
        block = [*group]
        if not is_filled and hidden.intersection(block):
            gaps = [[*gap] for _, gap in groupby(block, hidden.__contains__)]
            gaps = [gap for gap in gaps if gap[0] not in hidden]
            is_inside = result and block[-1] != part[-1]
            block = max(gaps, key=len, default=[]) if is_inside else []
        result += block
    return result


def _selected(lines: list[str], section: str) -> Sequence[int] | None:
    """Return the lines of a section, or of all the text; None for a missing section."""
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
