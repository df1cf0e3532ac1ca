"""The parts of a Markdown text: code, comments and formulas."""

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

_INSIDE = r"(?:(?!\n\s*\n).)"
"""A character inside of a block, in which no line is empty."""
# The part that begins first contains the others, such as a fence in a comment.
_OPAQUE = re.compile(
    r"^[ \t]*(?P<ticks>`{3,}+|~{3,}+)[^\n]*\n(?P<fence>.*?)^[ \t]*(?P=ticks)[ \t]*$"
    r"|<!--(?!-?>)(?:(?P<comment>.*?)-->|.*)"
    rf"|(?<![`\\])(?P<quotes>`++)(?P<code>{_INSIDE}+?)(?<!`)(?P=quotes)(?!`)",
    re.DOTALL | re.MULTILINE,
)
_FORMULA = re.compile(
    rf"\$\$(?P<display>{_INSIDE}*?)\$\$"
    r"|(?<![\\$])\$(?![\s$])(?P<inline>(?:\\.|[^$\\\n]|\n(?!\s*\n))+?)(?<!\s)\$(?!\d)",
    re.DOTALL,
)


@dataclass(frozen=True)
class Piece:
    """A part of a text; all offsets are into the text of the page."""

    text: str
    start: int
    """Offset of ``text``."""
    line: int
    span: tuple[int, int]
    """Offsets of the part with its delimiters."""


@dataclass(frozen=True)
class Formula(Piece):
    """A formula; its text has no dollars."""

    display: bool = False

    @property
    def label(self) -> str:
        """The LaTeX on one line, for messages."""
        return " ".join(self.text.split())


class Source:
    """The Markdown text of a page."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._line_starts = [0, *(m.end() for m in re.finditer("\n", text))]

    def line(self, offset: int) -> int:
        """Return the number of the line, from 1, that contains an offset."""
        return bisect_right(self._line_starts, offset)

    def _pieces(self, pattern: re.Pattern, text: str) -> list[tuple[str, Piece]]:
        """Return the matches of a pattern, with the name of their content's group."""
        return [
            (name, Piece(m[name], m.start(name), self.line(m.start(name)), m.span()))
            for m in pattern.finditer(text)
            for name in ("fence", "comment", "code", "display", "inline")
            if m.groupdict().get(name) is not None
        ]

    @cached_property
    def _opaque(self) -> list[tuple[str, Piece]]:
        return self._pieces(_OPAQUE, self.text)

    def _of(self, kind: str) -> list[Piece]:
        return [piece for name, piece in self._opaque if name == kind]

    @cached_property
    def fences(self) -> list[Piece]:
        """The bodies of fenced blocks."""
        return self._of("fence")

    @cached_property
    def comments(self) -> list[Piece]:
        """The texts between ``<!--`` and ``-->``."""
        return self._of("comment")

    @cached_property
    def codes(self) -> list[Piece]:
        """The code in backticks in running text."""
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
            Formula(**vars(piece), display=name == "display")
            for name, piece in self._pieces(_FORMULA, self.without_code)
        ]

    @cached_property
    def prose(self) -> str:
        """The text with code, comments and formulas blanked; offsets stay."""
        return blanked(self.without_code, self.formulas)


def blanked(text: str, pieces: Iterable[Piece]) -> str:
    """Return a text with spaces in place of some pieces; lines stay."""
    parts, end = [], 0
    for piece in pieces:
        start, after = piece.span
        parts += [text[end:start], re.sub(r"[^\n]", " ", text[start:after])]
        end = after
    return "".join([*parts, text[end:]])


def markdown_cells(program: str) -> str:
    """Return the Markdown cells of a percent notebook; other lines are empty."""
    lines, is_markdown = [], False
    for line in program.splitlines():
        if line.startswith("# %%"):
            is_markdown = "[markdown]" in line
            lines.append("")
        else:
            is_text = is_markdown and line.startswith("#")
            lines.append(re.sub(r"^# ?", "", line) if is_text else "")
    return "\n".join(lines) + "\n"
