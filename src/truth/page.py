"""Read a page: blocks, formulas, code, includes, headings, directives."""

import os
import re
import sys
from bisect import bisect_right
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from mathml.source import Piece, Source, blanked, markdown_cells
from tracebook import files, includes, pages, settings, snippet
from tracebook.includes import Include
from tracebook.settings import Settings, SettingsError
from tracebook.snippet import Snippet

DIRECTIVES = ("proof", "docstring", "unchecked")
"""The keys of the comments that the checks read, or a test: ``docstring``."""

_HEADING = re.compile(r"^(?P<hashes>#{1,6})[ \t]*(?P<title>[^#\s].*)$", re.MULTILINE)
"""A heading, also ``##Title``, which Markdown takes for one."""
_BLOCK = re.compile(r"[-*+] |\d+\. |[!?]{3}|===|#")
"""The beginning of a line that starts a block even without an empty line above it."""
_DIRECTIVE = re.compile(rf"\s*(?P<key>{'|'.join(DIRECTIVES)}):(?P<value>.*)", re.DOTALL)

FIGURE = re.compile(
    r"!\[(?P<text>(?:[^\[\]]|\[[^\[\]]*\])*)\]\([^)\s]{,500}\bfigures/(?P<name>[\w/-]+)\.svg\b"
)
FILE_NAME = re.compile(r"\.?\w[\w./-]*[./]\w*")
"""The name of a file in a page. An edit of such a file has the page checked again."""
BIBLIOGRAPHY = "bibliography.md"
"""The page with the sources that the site cites."""
LEDGER = "docs/ledger.md"
"""The page that the build writes from the results of the checks."""
GENERATED = {"mistakes/messages", "public_code", "vjpcheck"}
"""Pages that a command writes from a run; a test compares them with what it writes."""


class Directive(NamedTuple):
    """A comment for the checks: ``<!-- KEY: VALUE -->``."""

    key: str
    value: str
    comment: Piece


@dataclass
class Block:
    """A paragraph, a list item or a row of a table."""

    start: int
    end: int
    table: int = -1
    """The offset of the table of a row."""
    directives: list[Directive] = field(default_factory=list)
    """The directives in it or right below it; below a table, those of each row."""


class Page(Source):
    """A Markdown page, or the Markdown cells of a lab; ``source`` replaces its text."""

    def __init__(self, path: Path, root: Path, source: str | None = None) -> None:
        self.path = path
        self.root = root
        self.label = path.relative_to(root).as_posix()
        self.source = files.text(path, self.label) if source is None else source
        self._contents: dict[Path, bytes] = {}
        is_lab = path.suffix == ".py"
        super().__init__(markdown_cells(self.source) if is_lab else self.source)

    @cached_property
    def name(self) -> str:
        """The path below the folder of pages, without the suffix."""
        below = self.path.relative_to(self.settings.docs_dir)
        return below.with_suffix("").as_posix()

    def location(self, offset: int) -> str:
        """Return ``FILE:LINE`` of an offset into the text."""
        return f"{self.label}:{self.line(offset)}"

    @property
    def title(self) -> str:
        """The first heading, with its code and without its attributes."""
        for start, level, _ in self.headings:
            if level == 1:
                line = self.text[start:].partition("\n")[0].strip("# ")
                return re.sub(r"\s*\{[^{}]*\}$", "", line)
        return self.path.stem

    # Files.

    def read(self, path: Path) -> bytes:
        """Return the content of a file, or nothing if there is no such file. It is read
        once, so that the key of a result is made from what its check read."""
        if path not in self._contents:
            self._contents[path] = path.read_bytes() if path.is_file() else b""
        return self._contents[path]

    def read_text(self, path: Path) -> str:
        """Return the text of a file, which is read once."""
        return self.read(path).decode("utf-8", "replace").replace("\r\n", "\n")

    @cached_property
    def settings(self) -> Settings:
        """The project's settings."""
        return settings.load(self.root)

    def find_file(self, name: str) -> Path | None:
        """Return the file of the project that a comment names, if it exists. A name is
        like ``FILE_NAME``, so that an edit of the file has the page checked again."""
        path = self.root / name
        return path if FILE_NAME.fullmatch(name) and os.path.isfile(path) else None

    def proofs(self, offset: int) -> list[Path]:
        """Return the files that ``proof`` comments of the block at an offset name."""
        names = re.split(r"[,\s]+", " ".join(self.directive_values("proof", offset)))
        return [path for name in names if (path := self.find_file(name))]

    @cached_property
    def includes(self) -> list[Include]:
        """The includes of the page, in order."""
        return [include for include in includes.find(self.text) if include.name]

    @property
    def included_names(self) -> list[str]:
        """The names of the included files, in order."""
        return [include.name for include in self.includes]

    @property
    def programs(self) -> dict[str, Snippet]:
        """The included programs that exist, by their names, each read once; those of
        other frameworks aren't among them."""
        programs = {}
        for path in self.included_files(".py"):
            if snippet.is_twin(path.name):
                continue
            source, output = (
                self.read(file).decode("utf-8", "surrogateescape")
                for file in (path, path.with_suffix(".out"))
            )
            source = source.replace("\r\n", "\n").replace("\r", "\n")
            program = snippet.load(path, self.settings)
            programs[program.name] = replace(program, source=source, output=output)
        return programs

    def included_files(
        self, suffix: str = "", start: int = 0, end: int = sys.maxsize
    ) -> list[Path]:
        """Return the existing files with a suffix that the page includes, or the part
        of it between two offsets."""
        names = dict.fromkeys(
            include.name
            for include in self.includes
            if start <= include.start < end and include.name.endswith(suffix)
        )
        return [path for name in names if (path := self.included_file(name))]

    def included_file(self, name: str) -> Path | None:
        """Return the file in ``snippets/`` that an include names, if it exists."""
        path = self.settings.snippets_dir / name
        leads_out = {"", ".."} & {*name.split("/")}
        return path if path.is_file() and not leads_out else None

    @cached_property
    def is_generated(self) -> bool:
        """Return whether a command writes the page."""
        return self.name in GENERATED

    # Parts.

    @cached_property
    def headings(self) -> list[tuple[int, int, str]]:
        """Offset, level and title of each heading."""
        return [
            (m.start(), len(m["hashes"]), m["title"])
            for m in _HEADING.finditer(self.without_code)
        ]

    def section_start(self, offset: int) -> int:
        """Return the offset of the heading above an offset, or 0."""
        return max((start for start, *_ in self.headings if start <= offset), default=0)

    @cached_property
    def blocks(self) -> list[Block]:
        """The blocks of running text and the rows of tables, in order."""
        blocks = self._split_blocks()
        for directive in self.directives:
            start = directive.comment.start
            above = blocks[: bisect_right(blocks, start, key=lambda b: b.start)]
            if not above:
                continue
            last = above[-1]
            is_below_table = last.table >= 0 and start >= last.end
            for block in above if is_below_table else (last,):
                if block.table == last.table:
                    block.directives.append(directive)
        return blocks

    def _split_blocks(self) -> list[Block]:
        """Return the blocks, without their directives."""
        blocks: list[Block] = []
        displays = [formula for formula in self.formulas if formula.display]
        text = blanked(blanked(self.without_fences, self.comments), displays)
        is_open, table = False, -1
        for line in re.finditer(r".*\n|.+", text):
            content = line[0].strip()
            is_row = content.startswith("|")
            table = -1 if not is_row else line.start() if table < 0 else table
            if is_row or (content and (not is_open or _BLOCK.match(content))):
                blocks.append(Block(line.start(), line.end(), table))
            elif content:
                blocks[-1].end = line.end()
            is_open = bool(content) and not is_row and not content.startswith("#")
        return blocks

    def block(self, offset: int) -> Block | None:
        """Return the block at an offset, or else the one above it."""
        before = bisect_right(self.blocks, offset, key=lambda b: b.start)
        return self.blocks[before - 1] if before else None

    def directive_values(self, key: str, offset: int) -> tuple[str, ...]:
        """Return the values of the directives with a key of the block at an offset."""
        block = self.block(offset)
        directives = block.directives if block else ()
        return tuple(each.value for each in directives if each.key == key)

    @cached_property
    def directives(self) -> list[Directive]:
        """The comments for the checks, in order."""
        return [
            Directive(match["key"], match["value"].strip(), comment)
            for comment in self.comments
            if (match := _DIRECTIVE.fullmatch(comment.text))
        ]


def all_pages(root: Path) -> list[Page]:
    """Return every page of the site but the ledger: Markdown files and labs.

    Raises:
        SettingsError: there is no page.
        OSError: a page isn't UTF-8.
    """
    docs = settings.load(root).docs_dir
    if not docs.is_dir():
        raise SettingsError(f"{docs}: no such folder; is {root} the project's?")
    paths = [
        path
        for path in files.below(docs)
        if path.suffix == ".md"
        or (path.suffix == ".py" and path.parent == docs / "labs")
        if path != docs / Path(LEDGER).name
    ]
    if not paths:
        raise SettingsError(f"{docs}: no page in it")
    return [Page(path, root) for path in paths]


def select_pages(root: Path, paths: list[Path]) -> tuple[list[Page], list[Page]]:
    """Return all pages of the site, and the pages at some paths.

    If there are no paths, all pages are selected.

    Raises:
        SettingsError: there is no page at a path.
        OSError: a page, or a file that a page includes, can't be read.
    """
    if unreadable := [*pages.unreadable(settings.load(root))]:
        raise OSError("\n".join(unreadable))
    site = all_pages(root)
    wanted = {path.resolve() for path in paths}
    selected = [page for page in site if not wanted or page.path in wanted]
    if unknown := sorted(wanted - {page.path for page in selected}):
        raise SettingsError(f"no page of the site: {', '.join(map(str, unknown))}")
    return site, selected
