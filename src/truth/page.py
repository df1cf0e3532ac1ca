"""A page as the checks read it: formulas, prose, code and headings, with lines."""

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

_FENCE = re.compile(
    r"^[ \t]*(?P<ticks>`{3,}|~{3,})(?P<info>[^\n]*)\n(?P<body>.*?)"
    r"^[ \t]*(?P=ticks)[ \t]*$",
    re.DOTALL | re.MULTILINE,
)
_CODE = re.compile(
    r"(?<![`\\])(?P<ticks>`+)(?!`)(?P<code>.+?)(?<!`)(?P=ticks)(?!`)", re.DOTALL
)
_DISPLAY = re.compile(r"\$\$(?P<tex>.*?)\$\$", re.DOTALL)
_INLINE = re.compile(r"(?<![\\$])\$(?!\s)(?P<tex>[^$]+?)(?<!\s)\$(?!\d)")
_HEADING = re.compile(r"^(?P<hashes>#{1,6})[ \t]+(?P<title>.+)$", re.MULTILINE)
_EMBED = re.compile(r'^[ \t]*--8<-- "(?P<name>[^":]+)[^"]*"[ \t]*$', re.MULTILINE)


LEDGER = "docs/ledger.md"
"""Made from what the checks say of the other pages."""


@dataclass(frozen=True)
class Piece:
    """A part of a page's text and where it begins."""

    text: str
    start: int
    line: int


@dataclass(frozen=True)
class Formula(Piece):
    """One formula, without its dollars."""

    display: bool

    @property
    def shown(self) -> str:
        return " ".join(self.text.split())


class Page:
    """One Markdown page, or the Markdown cells of a lab.

    ``source`` is another text to read in place of the file's.
    """

    def __init__(self, path: Path, root: Path, source: str | None = None) -> None:
        self.path = path
        self.root = root
        self.shown = path.relative_to(root).as_posix()
        self.source = path.read_text("utf-8") if source is None else source
        self.text = (
            _markdown_cells(self.source) if path.suffix == ".py" else self.source
        )
        self._line_starts = [0, *(m.end() for m in re.finditer("\n", self.text))]

    def named(self, name: str) -> Path | None:
        """The file that a name means here: of the page's own programs, of all
        programs, of the project, or beside the page."""
        snippets = self.root / "snippets"
        own = snippets / self.shown.partition("/")[2].rpartition(".")[0]
        return next(
            (
                path
                for folder in (own, snippets, self.root, self.path.parent)
                if (path := folder / name).exists()
            ),
            None,
        )

    def line(self, offset: int) -> int:
        """The number of the line, from 1, that holds a character."""
        return bisect_right(self._line_starts, offset)

    def where(self, offset: int) -> str:
        return f"{self.shown}:{self.line(offset)}"

    @cached_property
    def fences(self) -> list[Piece]:
        """Bodies of fenced blocks."""
        return [
            Piece(m["body"], m.start("body"), self.line(m.start("body")))
            for m in _FENCE.finditer(self.text)
        ]

    @cached_property
    def embeds(self) -> list[str]:
        """Names of the snippets and traces that the page includes, in order."""
        return [m["name"] for m in _EMBED.finditer(self.text)]

    @cached_property
    def without_fences(self) -> str:
        """The text with fenced blocks blanked; offsets stay."""
        return _blanked(_FENCE, self.text)

    @cached_property
    def codes(self) -> list[Piece]:
        """What stands in backticks in running text."""
        return [
            Piece(m["code"], m.start("code"), self.line(m.start("code")))
            for m in _CODE.finditer(self.without_fences)
        ]

    @cached_property
    def without_code(self) -> str:
        """The text with fenced blocks and backticks blanked; offsets stay."""
        return _blanked(_CODE, self.without_fences)

    @cached_property
    def formulas(self) -> list[Formula]:
        """All formulas in the order of the page."""
        text = self.without_code
        found = [(m, True) for m in _DISPLAY.finditer(text)]
        found += [(m, False) for m in _INLINE.finditer(_blanked(_DISPLAY, text))]
        return [
            Formula(m["tex"], m.start("tex"), self.line(m.start("tex")), display)
            for m, display in sorted(found, key=lambda each: each[0].start())
        ]

    @cached_property
    def prose(self) -> str:
        """Running text, with code and all formulas blanked; offsets stay."""
        return _blanked(_INLINE, _blanked(_DISPLAY, self.without_code))

    @cached_property
    def headings(self) -> list[tuple[int, int, str]]:
        """Offset, level and title of each heading."""
        return [
            (m.start(), len(m["hashes"]), m["title"])
            for m in _HEADING.finditer(self.without_code)
        ]


def all_pages(root: Path) -> list[Page]:
    """Every page of the book but the ledger: Markdown below ``docs``, the labs."""
    docs = root / "docs"
    pages = sorted([*docs.rglob("*.md"), *docs.glob("labs/*.py")])
    return [Page(path, root) for path in pages if path != root / LEDGER]


def _blanked(pattern: re.Pattern, text: str) -> str:
    return pattern.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)


def _markdown_cells(source: str) -> str:
    """The comments of a percent notebook's Markdown cells; other lines empty."""
    lines, markdown = [], False
    for line in source.splitlines():
        if line.startswith("# %%"):
            markdown = "[markdown]" in line
            lines.append("")
        else:
            lines.append(
                re.sub(r"^# ?", "", line) if markdown and line.startswith("#") else ""
            )
    return "\n".join(lines) + "\n"
