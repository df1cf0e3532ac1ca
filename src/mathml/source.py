"""A Markdown text as it is written: its code, its comments and its formulas."""

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

_INSIDE = r"(?:(?!\n\s*\n).)"
"""Any character inside of one block: no line of it is empty."""
# What begins first holds the rest: a fence in a comment is a part of the comment.
_OPAQUE = re.compile(
    r"^[ \t]*(?P<ticks>`{3,}|~{3,})[^\n]*\n(?P<fence>.*?)^[ \t]*(?P=ticks)[ \t]*$"
    r"|<!--(?P<comment>.*?)-->"
    rf"|(?<![`\\])(?P<quotes>`+)(?!`)(?P<code>{_INSIDE}+?)(?<!`)(?P=quotes)(?!`)",
    re.DOTALL | re.MULTILINE,
)
_FORMULA = re.compile(
    rf"\$\$(?P<display>{_INSIDE}*?)\$\$"
    r"|(?<![\\$])\$(?![\s$])(?P<inline>(?:\\.|[^$\\\n]|\n(?!\s*\n))+?)(?<!\s)\$(?!\d)",
    re.DOTALL,
)


@dataclass(frozen=True)
class Piece:
    """A part of a text, where it begins, and from where to where its marks go."""

    text: str
    start: int
    line: int
    span: tuple[int, int]


@dataclass(frozen=True)
class Formula(Piece):
    """One formula, without its dollars."""

    display: bool = False

    @property
    def shown(self) -> str:
        return " ".join(self.text.split())


class Source:
    """The text of one page; all offsets are into it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._line_starts = [0, *(m.end() for m in re.finditer("\n", text))]

    def line(self, offset: int) -> int:
        """The number of the line, from 1, that holds a character."""
        return bisect_right(self._line_starts, offset)

    @cached_property
    def _opaque(self) -> list[tuple[str, Piece]]:
        return [
            (kind, Piece(m[kind], m.start(kind), self.line(m.start(kind)), m.span()))
            for m in _OPAQUE.finditer(self.text)
            for kind in ("fence", "comment", "code")
            if m[kind] is not None
        ]

    def _of(self, wanted: str) -> list[Piece]:
        return [piece for kind, piece in self._opaque if kind == wanted]

    @cached_property
    def fences(self) -> list[Piece]:
        """Bodies of fenced blocks."""
        return self._of("fence")

    @cached_property
    def comments(self) -> list[Piece]:
        """What stands between ``<!--`` and ``-->``."""
        return self._of("comment")

    @cached_property
    def codes(self) -> list[Piece]:
        """What stands in backticks in running text."""
        return self._of("code")

    @cached_property
    def without_fences(self) -> str:
        """The text with fenced blocks blanked; offsets stay."""
        return blanked(self.text, self.fences)

    @cached_property
    def without_code(self) -> str:
        """The text with fenced blocks, backticks and comments blanked."""
        return blanked(self.text, (piece for _, piece in self._opaque))

    @cached_property
    def formulas(self) -> list[Formula]:
        """All formulas in the order of the page."""
        return [
            Formula(
                m[kind],
                m.start(kind),
                self.line(m.start(kind)),
                m.span(),
                kind == "display",
            )
            for m in _FORMULA.finditer(self.without_code)
            for kind in ("display", "inline")
            if m[kind] is not None
        ]

    @cached_property
    def prose(self) -> str:
        """Running text: without code, comments and formulas; offsets stay."""
        return blanked(self.without_code, self.formulas)


def blanked(text: str, pieces: Iterable[Piece]) -> str:
    """The text with spaces in place of some of its parts; lines stay."""
    parts, end = [], 0
    for piece in pieces:
        start, after = piece.span
        parts += [text[end:start], re.sub(r"[^\n]", " ", text[start:after])]
        end = after
    return "".join([*parts, text[end:]])


def markdown_cells(program: str) -> str:
    """The comments of a percent notebook's Markdown cells; other lines empty."""
    lines, markdown = [], False
    for line in program.splitlines():
        if line.startswith("# %%"):
            markdown = "[markdown]" in line
            lines.append("")
        else:
            lines.append(
                re.sub(r"^# ?", "", line) if markdown and line.startswith("#") else ""
            )
    return "\n".join(lines) + "\n"
