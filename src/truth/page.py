"""The one reader of a page: its blocks and sentences, formulas, code, includes,
headings, and what its comments say to the checks."""

import os
import re
import sys
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from mathml.source import Formula, Piece, Source, blanked, markdown_cells
from tracebook import files, includes, pages, settings
from tracebook.includes import Include
from tracebook.settings import Settings, SettingsError

__all__ = [
    "BIBLIOGRAPHY",
    "DIRECTIVES",
    "FILE_NAME",
    "LEDGER",
    "Block",
    "Formula",
    "Page",
    "Piece",
    "all_pages",
    "asked",
]

DIRECTIVES = ("proof", "docstring", "unchecked")
"""The keys of the comments that are for the checks."""

_HEADING = re.compile(r"^(?P<hashes>#{1,6})[ \t]*(?P<title>[^#\s].*)$", re.MULTILINE)
"""Also ``##Title``, which Markdown takes for one."""
_BLOCK = re.compile(r"[-*+] |\d+\. |[!?]{3}|===|#")
"""What begins a block of its own, though no line above it is empty."""
_SENTENCE = re.compile(r"[.?!:][*)]*\s+(?=[A-Z`*])")
_QUOTE = re.compile(r"(?:^[ \t]*>.*(?:\n|\Z))+\Z", re.MULTILINE)
_DIRECTIVE = re.compile(rf"\s*(?P<key>{'|'.join(DIRECTIVES)}):(?P<said>.*)", re.DOTALL)

FILE_NAME = re.compile(r"\.?\w[\w./-]*[./]\w*")
"""How a page names files: an edit of one of them has the page checked again."""
BIBLIOGRAPHY = "bibliography.md"
"""What the site cites."""
LEDGER = "docs/ledger.md"
"""Made from what the checks say of the other pages."""
GENERATED = {
    "mistakes/messages.md",
    "public_code.md",
    "vjpcheck.md",
}
"""Pages that a command writes from a run; a test compares them with what it writes."""


@dataclass
class Block:
    """A paragraph, a list item or a row of a table."""

    start: int
    end: int
    header: str = ""
    """Of a row: the first line of its table, and where that begins."""
    table: int = -1
    comments: list[tuple[str, str]] = field(default_factory=list)
    """Key and text of what is said to the checks in it, or below it."""

    def says(self, key: str) -> tuple[str, ...]:
        return tuple(said for each, said in self.comments if each == key)


class Page(Source):
    """One Markdown page, or the Markdown cells of a lab.

    ``source`` is another text to read in place of the file's.
    """

    def __init__(self, path: Path, root: Path, source: str | None = None) -> None:
        self.path = path
        self.root = root
        self.shown = path.relative_to(root).as_posix()
        self.source = files.text(path, self.shown) if source is None else source
        if path.suffix == ".py":
            super().__init__(markdown_cells(self.source))
        else:
            super().__init__(self.source)

    @cached_property
    def name(self) -> str:
        """Its path below the folder of pages, without the ending."""
        below = self.path.relative_to(self.settings.docs_dir)
        return below.with_suffix("").as_posix()

    def where(self, offset: int) -> str:
        return f"{self.shown}:{self.line(offset)}"

    # Files.

    @cached_property
    def settings(self) -> Settings:
        return settings.load(self.root)

    def named(self, name: str) -> Path | None:
        """The file that a name means here: of the page's own programs, of all
        programs, of the project, or beside the page; None for what is there, but not
        written so that an edit of it would be seen, as with ``..``."""
        if not FILE_NAME.fullmatch(name):
            return None
        folders = [self.settings.snippets_dir, self.root, self.path.parent]
        if self.path.is_relative_to(docs := self.settings.docs_dir):
            folders.insert(0, folders[0] / self.path.relative_to(docs).with_suffix(""))
        return next(
            (path for each in folders if os.path.exists(path := each / name)), None
        )

    @cached_property
    def includes(self) -> list[Include]:
        """What the page includes and shows, in order."""
        return [each for each in includes.find(self.text) if each.name]

    @property
    def embeds(self) -> list[str]:
        """Names of the snippets and traces that the page includes, in order."""
        return [each.name for each in self.includes]

    def embedded(
        self, suffix: str = "", start: int = 0, end: int = sys.maxsize
    ) -> list[Path]:
        """The files, of one kind, that a part of the page includes and that are
        there."""
        names = dict.fromkeys(
            each.name
            for each in self.includes
            if start <= each.start < end and each.name.endswith(suffix)
        )
        return [path for name in names if (path := self.snippet(name))]

    def snippet(self, name: str) -> Path | None:
        """The file of snippets/ that an include names, if it is there."""
        path = self.settings.snippets_dir / name
        leads_out = {"", ".."} & {*name.split("/")}
        return path if path.is_file() and not leads_out else None

    @cached_property
    def is_generated(self) -> bool:
        """Whether a command writes the page; nobody edits its wording."""
        return self.path.relative_to(self.settings.docs_dir).as_posix() in GENERATED

    # Parts.

    @cached_property
    def headings(self) -> list[tuple[int, int, str]]:
        """Offset, level and title of each heading."""
        return [
            (m.start(), len(m["hashes"]), m["title"])
            for m in _HEADING.finditer(self.without_code)
        ]

    def section(self, at: int, deepest: int) -> tuple[int, int]:
        """From the heading above a place, of a level that counts, to the next."""
        starts = [start for start, level, _ in self.headings if level <= deepest]
        return (
            max((s for s in starts if s <= at), default=0),
            min((s for s in starts if s > at), default=len(self.text)),
        )

    @cached_property
    def blocks(self) -> list[Block]:
        found: list[Block] = []
        is_open, header, table = False, "", -1
        displays = [
            (f.start, f.start + len(f.text)) for f in self.formulas if f.display
        ]
        text = blanked(self.without_fences, self.comments)
        for line in re.finditer(r".+\n?|\n", text):
            said = line[0].strip()
            if (
                not said
                or said == "$$"
                or any(a <= line.start() < b for a, b in displays)
            ):
                is_open, header, table = False, "", -1
                continue
            is_row = said.startswith("|")
            if not is_row:
                header, table = "", -1
            elif not header:
                header, table = said, line.start()
            if is_row or not is_open or _BLOCK.match(said):
                found.append(Block(line.start(), line.end(), header, table))
            else:
                found[-1].end = line.end()
            is_open = not is_row and not said.startswith("#")
        for key, said, comment in self.directives:
            above = found[: bisect_right(found, comment.start, key=lambda b: b.start)]
            if not above:
                continue
            last = above[-1]
            # Below a table it speaks of all rows, and else of what it is in or below.
            below_table = last.header and comment.start >= last.end
            for block in above if below_table else (last,):
                if block.table == last.table:
                    block.comments.append((key, said))
        return found

    def block(self, at: int) -> Block | None:
        """The block that holds a place, or else the one above it."""
        before = bisect_right(self.blocks, at, key=lambda b: b.start)
        return self.blocks[before - 1] if before else None

    def says(self, key: str, at: int) -> tuple[str, ...]:
        """What the comments of the block at a place say."""
        block = self.block(at)
        return block.says(key) if block else ()

    def sentences(self, at: int) -> list[str]:
        """Those of a block, up to the one at a place; of what is no running text,
        none."""
        block = self.block(at)
        if block is None or at >= block.end:
            return []
        end = _SENTENCE.search(self.text, at, block.end)
        return _SENTENCE.split(
            self.text[block.start : end.start() if end else block.end]
        )

    @cached_property
    def directives(self) -> list[tuple[str, str, Piece]]:
        """Key and text of each comment that is for the checks."""
        return [
            (said["key"], said["said"].strip(), comment)
            for comment in self.comments
            if (said := _DIRECTIVE.fullmatch(comment.text))
        ]

    @cached_property
    def quotes(self) -> list[tuple[str, Piece]]:
        """The fence, the span or the blockquote right before each comment that
        says of which docstring it is."""
        found = []
        for key, name, comment in self.directives:
            end = len(self.text[: comment.span[0]].rstrip())
            pieces = [p for p in (*self.fences, *self.codes) if p.span[1] == end]
            if quote := _QUOTE.search(self.text, 0, end):
                text = re.sub(r"^[ \t]*>", "", quote[0], flags=re.MULTILINE)
                start = quote.start()
                pieces.append(Piece(text, start, self.line(start), quote.span()))
            if key == "docstring":
                found += [(name, piece) for piece in pieces[:1]]
        return found


def all_pages(root: Path) -> list[Page]:
    """Every page of the book but the ledger: Markdown files and the labs, without
    hidden ones and what is no file.

    Raises SettingsError if there is none.
    """
    docs = settings.load(root).docs_dir
    if not docs.is_dir():
        raise SettingsError(f"{docs}: no such folder; is {root} the project's?")
    found = [
        Page(path, root)
        for path in files.below(docs)
        if path.suffix == ".md"
        or (path.suffix == ".py" and path.parent == docs / "labs")
        if path != docs / Path(LEDGER).name
    ]
    if not found:
        raise SettingsError(f"{docs}: no page in it")
    return found


def asked(root: Path, paths: list[Path]) -> tuple[list[Page], list[Page]]:
    """The pages of the book, and those at the paths that a command was given, or all.

    Raises OSError if a page, or what one shows, can't be read, and SettingsError for
    a path that is no page of the book.
    """
    if unreadable := [*pages.unreadable(settings.load(root))]:
        raise OSError("\n".join(unreadable))
    book = all_pages(root)
    wanted = {path.resolve() for path in paths}
    chosen = [page for page in book if not wanted or page.path in wanted]
    if strangers := sorted(wanted - {page.path for page in chosen}):
        raise SettingsError(f"no page of the book: {', '.join(map(str, strangers))}")
    return book, chosen
