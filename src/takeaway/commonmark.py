"""Rewrite a page in the Markdown that every reader understands.

Syntax that only the site understands is expanded, rewritten in plain form, or removed.
"""

import posixpath
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from textwrap import dedent

from mathml.convert import expand_macros
from mathml.source import Source
from tracebook import includes
from tracebook.settings import SettingsError
from tracebook.snippet import declared

COLORS = {"upstream": "#c2570c", "local": "#2f6fd0", "downstream": "#16803f"}
"""Colors of the three factors, readable on white and on black."""

_ATTRIBUTE = r"(?:[.#][\w-]+|[\w-]+(?:=(?:\"[^\"\n]*\"|'[^'\n]*'|[\w-]+))?)"
_ATTRIBUTES = re.compile(
    rf" ?\{{:?[ \t]*(?P<all>{_ATTRIBUTE}(?:\s+{_ATTRIBUTE})*)\s*\}}"
)
_ID = re.compile(r"#([\w-]+)")
_DARK_IMAGE = re.compile(r"!\[(?:[^]]|\](?!\())*\]\([^()\s]*#only-dark\)\n?")
_TARGET = re.compile(r"\]\((?P<target>[^()\s]+)(?=\)|\s)")
_FOLD = re.compile(
    r"(?P<indent>[ ]*)(?:(?:!!!|\?\?\?\+?)[ ](?P<kind>[\w -]+?)|===[!+]?)"
    r"(?:[ ]+\"(?P<title>.*)\")?[ ]*"
)
"""First line of an admonition, a fold or a tab."""
_DEFINITION = re.compile(r"(?P<indent> *):   (?=\S)")
_ANCHOR = re.compile(r'((?:<a id="[\w-]+"></a>)?)(.*)')
_LANGUAGE = re.compile(r"[{\s.]*(?P<language>\w*)")
_ROW = re.compile(r"^[ ]*\|.*$", re.MULTILINE)

_Span = tuple[int, int]
_Edit = tuple[int, int, str]
"""Start, end and replacement of a part of a text."""


@dataclass(frozen=True)
class CodeBlock:
    """A block of code as a page shows it."""

    language: str
    text: str
    name: str = ""
    """Name of the file below the folder of programs, if the block shows all of it."""
    prefix: str = ""
    """Text before each of its lines, such as the marks of a quote."""
    settings: frozenset[str] = frozenset()
    """Settings in the program's comments, which readers don't see."""


@dataclass(frozen=True)
class LinkResolver:
    """The links of a page, as they lead from a download of that page."""

    page: str
    """Path below the folder of pages."""
    address: Callable[[str], str]
    """Function from a path below that folder to an address below the site's."""
    site: str = ""
    """Address of the site. Without one, links are relative."""
    notebooks: Collection[str] = ()
    """Pages to whose notebooks relative links lead."""
    folder: str | None = None
    """Folder of the download, if it isn't beside the page."""

    def resolve(self, target: str) -> str:
        """Return the target in a download for a target that the page has."""
        path, _, anchor = target.removesuffix("#only-light").partition("#")
        if re.match(r"[a-z]+:", path):
            return target
        folder = posixpath.dirname(self.page)
        path = posixpath.normpath(posixpath.join(folder, path)) if path else self.page
        fragment = f"#{anchor}" if anchor else ""
        if not self.site:
            if target.startswith("#") and self.folder is None:
                return fragment
            if path.endswith(".md"):
                suffix = ".ipynb" if path in self.notebooks else ".md"
                return self.link_to(path.removesuffix(".md") + suffix) + fragment
        return self.link_to(self.address(path)) + fragment

    def link_to(self, address: str) -> str:
        """Return a link to an address below the site's."""
        if self.site:
            return self.site + address
        start = posixpath.dirname(self.page) if self.folder is None else self.folder
        path = posixpath.relpath(address or ".", start or ".")
        return f"{path}/" if address.endswith("/") else path

    def label(self, block: CodeBlock) -> str:
        """Return the line above a block: a link to the program, or "prints:"."""
        if block.name.endswith(".out"):
            return "prints:"
        if not block.name:
            return ""
        title = block.name.removeprefix(self.page.removesuffix(".md") + "/")
        return f"[`{title}`]({self.link_to(f'snippets/{block.name}')})"


def split(
    markdown: str,
    links: LinkResolver,
    read: Callable[[str], str],
    colors: dict[str, str] | None = COLORS,
) -> Iterator[str | CodeBlock]:
    """Split a page into rewritten text and blocks of code, in order.

    Args:
        markdown: Source of the page.
        links: Resolver of its links.
        read: Function from the name of a program or an output to its text.
        colors: Colors of the three factors. With None, formulas keep their names.
    """
    # Markdown expands tabs, too.
    markdown = _with_tables(markdown.expandtabs(4), read)
    source = Source(_rewritten(Source(markdown), links, colors))
    fences = {source.line(fence.span[0]): fence for fence in source.fences}
    prose = _Prose()
    end = 0
    for number, line in enumerate(source.text.split("\n"), 1):
        if number <= end:
            continue
        if fence := fences.get(number):
            end = source.line(fence.span[1])
            prefix = prose.close_folds(line)
            yield prose.take()
            yield _code_block(line, fence.text, prefix, read)
        else:
            prose.add(line)
    yield prose.take()


def _with_tables(markdown: str, read: Callable[[str], str]) -> str:
    """Put the tables that a page includes into its text."""
    lines = markdown.split("\n")
    for include in includes.find(markdown):
        if include.name.endswith(".md") and (text := read(include.name)):
            lines[include.line - 1] = text.strip()
    return "\n".join(lines)


class _Prose:
    """Lines of running text, with folds rewritten as quotes."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._open: list[tuple[int, str]] = []
        """Indent and quote mark of each fold around the next line."""
        self._previous: list[tuple[int, str]] = []
        """The open folds of the previous line."""

    def take(self) -> str:
        """Remove all lines, and return them as one text."""
        lines = [
            line
            for previous, line in pairwise(["", *self._lines])
            if line.strip("> ") or previous.strip("> ")
        ]
        self._lines, self._previous = [], []
        return "\n".join(lines).rstrip("> \n")

    def close_folds(self, line: str) -> str:
        """Close the folds that end before a line, and return the line's prefix."""
        indent = len(line) - len(line.lstrip(" "))
        while self._open and indent < self._open[-1][0] + 4:
            self._open.pop()
        return self._prefix()

    def add(self, line: str) -> None:
        if not line.strip():
            self._lines.append("")
            return
        self.close_folds(line)
        if fold := _FOLD.fullmatch(line):
            self._open.append((len(fold["indent"]), "> "))
            title = fold["title"]
            if title is None:
                title = (fold["kind"] or "").capitalize()
            if title:
                self._lines += [f"{self._prefix()}**{title}**", self._prefix().rstrip()]
        elif (definition := _DEFINITION.match(line)) and any(self._lines):
            self._mark_term()
            self._open.append((len(definition["indent"]), ""))
            self._lines.append(self._prefix() + line[definition.end() :])
        else:
            self._quote_empty_lines()
            indent = self._open[-1][0] + 4 if self._open else 0
            self._lines.append(self._prefix() + line[indent:])
        self._previous = [*self._open]

    def _prefix(self) -> str:
        prefix, end = "", 0
        for indent, mark in self._open:
            prefix += " " * (indent - end) + mark
            end = indent + 4
        return prefix

    def _quote_empty_lines(self) -> None:
        """Mark empty lines inside a fold, because they would end the quote."""
        index = len(self._lines)
        while self._open == self._previous and index and not self._lines[index - 1]:
            index -= 1
            self._lines[index] = self._prefix().rstrip()

    def _mark_term(self) -> None:
        index = max(n for n, line in enumerate(self._lines) if line)
        anchor, term = _ANCHOR.fullmatch(self._lines[index]).groups()  # type: ignore[union-attr]
        self._lines[index] = f"{anchor}**{term}**"


def join(blocks: Iterable[str | CodeBlock], links: LinkResolver) -> str:
    """Return text and blocks of code as one Markdown text."""
    parts = []
    for block in blocks:
        if isinstance(block, CodeBlock):
            label = links.label(block)
            ticks = re.findall(r"^\s*(`+)", block.text, re.MULTILINE)
            fence = "`" * max(3, 1 + max(map(len, ticks), default=0))
            lines = [label, ""] if label else []
            lines += [f"{fence}{block.language}", *block.text.splitlines(), fence]
            parts.append("\n".join((block.prefix + line).rstrip() for line in lines))
        elif block:
            parts.append(block)
    return "\n\n".join(parts) + "\n"


def _code_block(
    header: str, body: str, prefix: str, read: Callable[[str], str]
) -> CodeBlock:
    language = _LANGUAGE.match(header.strip().strip("`~"))["language"]  # type: ignore[index]
    lines, name, settings = [], "", frozenset[str]()
    included = {include.line: include for include in includes.find(body)}
    for number, line in enumerate(body.splitlines(), 1):
        if include := included.get(number):
            text = read(include.name)
            lines += include.lines(text) or []
            if not include.section:
                name = include.name
                with suppress(SettingsError):  # the engine reports it
                    settings = frozenset(declared(text, name))
        else:
            lines.append(line)
    text = "\n".join([*lines, ""])
    return CodeBlock(language, text if name else dedent(text), name, prefix, settings)


def _rewritten(
    source: Source, links: LinkResolver, colors: dict[str, str] | None
) -> str:
    """Return a page without comments and attributes, with portable links and TeX."""
    rows = [row.span() for row in _ROW.finditer(source.without_fences)]
    dark = [image.span() for image in _DARK_IMAGE.finditer(source.prose)]
    edits = [
        *((*_line_of(source, comment.span), "") for comment in source.comments),
        *_formula_edits(source, rows, colors),
        *_cell_edits(source, rows),
        *((*span, "") for span in dark),
        *_link_edits(source, dark, links),
        *_attribute_edits(source),
    ]
    parts, end = [], 0
    for start, stop, replacement in sorted(edits):
        parts += [source.text[end:start], replacement]
        end = stop
    return "".join([*parts, source.text[end:]])


def _is_inside(span: _Span, spans: list[_Span]) -> bool:
    return any(start <= span[0] < end for start, end in spans)


def _formula_edits(
    source: Source, rows: list[_Span], colors: dict[str, str] | None
) -> Iterator[_Edit]:
    for formula in source.formulas:
        tex = expand_macros(formula.text, colors)
        if _is_inside(formula.span, rows):
            tex = re.sub(r"(\\?)\|", lambda m: r"\Vert " if m[1] else r"\vert ", tex)
        dollars = "$$" if formula.display else "$"
        yield *formula.span, f"{dollars}{tex}{dollars}"


def _cell_edits(source: Source, rows: list[_Span]) -> Iterator[_Edit]:
    """Escape the bars of code in table cells."""
    for code in source.codes:
        if _is_inside(code.span, rows) and "|" in code.text:
            start, end = code.span
            yield start, end, source.text[start:end].replace("|", r"\|")


def _link_edits(
    source: Source, removed: list[_Span], links: LinkResolver
) -> Iterator[_Edit]:
    for target in _TARGET.finditer(source.prose):
        if not _is_inside(target.span(), removed):
            yield *target.span("target"), links.resolve(target["target"])


def _attribute_edits(source: Source) -> Iterator[_Edit]:
    """Remove lists of attributes; an id becomes an anchor at the start of the line."""
    for attributes in _ATTRIBUTES.finditer(source.prose):
        # Code is blanked, so the apparent space before may be its last backtick.
        start = attributes.start() + (source.text[attributes.start()] not in " {")
        yield start, attributes.end(), ""
        if anchor := _ID.search(attributes["all"]):
            line = source.text.rfind("\n", 0, attributes.start()) + 1
            line += len(re.match(r"[#\s]*", source.text[line:])[0])  # type: ignore[index]
            yield line, line, f'<a id="{anchor[1]}"></a>'


def _line_of(source: Source, span: _Span) -> _Span:
    """Return the span of the whole line if nothing else stands on it."""
    start = source.text.rfind("\n", 0, span[0]) + 1
    end = source.text.find("\n", span[1]) + 1 or len(source.text)
    alone = not (source.text[start : span[0]] + source.text[span[1] : end]).strip()
    return (start, end) if alone else span
